/** Turns a drawing of the page into a PNG file, and saves or shares it. */

const WIDTH = 1200;
const HEIGHT = 630;

/** The drawing as a PNG. Throws if the browser cannot draw it. */
export async function toPng(svg: SVGSVGElement): Promise<Blob> {
  const url = URL.createObjectURL(new Blob([standalone(svg)], { type: "image/svg+xml" }));
  try {
    const image = new Image(WIDTH, HEIGHT);
    image.src = url;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = WIDTH;
    canvas.height = HEIGHT;
    canvas.getContext("2d")?.drawImage(image, 0, 0, WIDTH, HEIGHT);
    return await new Promise((resolve, reject) => {
      canvas.toBlob((blob) => {
        if (blob) resolve(blob);
        else reject(new Error("the picture is empty"));
      }, "image/png");
    });
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** The text of a drawing that contains everything that it refers to, such as a gradient. */
export function standalone(svg: SVGSVGElement): string {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", String(WIDTH));
  copy.setAttribute("height", String(HEIGHT));
  copy.removeAttribute("class");
  const parts = document.createElementNS("http://www.w3.org/2000/svg", "defs");
  copy.prepend(parts);
  for (let wanted = missing(copy); wanted.length > 0; wanted = missing(copy)) {
    for (const part of wanted) parts.append(part.cloneNode(true));
  }
  return new XMLSerializer().serializeToString(copy);
}

/** Elements of the document that attributes of a drawing refer to and that it lacks. Texts, such as names, count not. */
function missing(svg: SVGSVGElement): Element[] {
  const parts = [svg, ...svg.querySelectorAll("*")];
  const references = parts.flatMap((part) =>
    [...part.attributes].map(({ value }) => /^(?:#([\w-]+)|url\(#([\w-]+)\))$/.exec(value)),
  );
  const ids = new Set(references.map((found) => found?.[1] ?? found?.[2] ?? ""));
  for (const { id } of parts) ids.delete(id);
  return [...ids].flatMap((id) => document.getElementById(id) ?? []);
}

/** Whether this device can share a picture. */
export function canSharePictures(): boolean {
  const file = new File([], "liarsdice.png", { type: "image/png" });
  return "canShare" in navigator && navigator.canShare({ files: [file] });
}

/** Shares a picture with the dialog of the device. A player who closes the dialog has changed their mind. */
export async function sharePicture(svg: SVGSVGElement, title: string): Promise<void> {
  const file = new File([await toPng(svg)], "liarsdice.png", { type: "image/png" });
  try {
    await navigator.share({ title, files: [file] });
  } catch (error) {
    if (!(error instanceof DOMException && error.name === "AbortError")) throw error;
  }
}

/** Saves a picture as a file. */
export async function savePicture(svg: SVGSVGElement): Promise<void> {
  const url = URL.createObjectURL(await toPng(svg));
  const link = document.createElement("a");
  link.href = url;
  link.download = "liarsdice.png";
  link.click();
  URL.revokeObjectURL(url);
}
