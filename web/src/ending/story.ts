/** The story of a match: awards in words, the dice over time, and the picture to save. */
import { t } from "../lib/i18n.svelte";
import { formatBid, formatProbability } from "../lib/formatting";
import { type Ruleset, shownStakes } from "../lib/ruleset";
import type { Award } from "../lib/protocol";

/** What an award is for. */
export function awardTitle({ kind }: Award): string {
  return t(`award.title.${kind}`);
}

/** How the award was earned, as a sentence. */
export function awardReason(rules: Ruleset | undefined, award: Award): string {
  const { kind, bid, count, dice, p, round_number: round } = award;
  const chance = p ?? 0;
  return t(`award.reason.${kind}`, {
    bid: bid ? formatBid(rules, [bid.quantity, bid.face]) : "",
    percent: formatProbability(chance),
    rolls: chance > 0 ? Math.round(1 / chance) : 0,
    count,
    dice,
    round,
  });
}

/** The numbers that the table shows for what was left, by round and seat. */
export function shownRows(rules: Ruleset | undefined, left: readonly (readonly number[])[]): number[][] {
  return left.map((row) => row.map((count) => shownStakes(rules, count)));
}

/**
 * The path of a seat's dice over the rounds: `x` and `y` give the place of a row and of a number of dice. `out`: the
 * round in which the path ends, null if it goes to the last.
 */
export function dicePath(
  rows: readonly (readonly number[])[],
  seat: number,
  out: number | null,
  x: (row: number) => number,
  y: (dice: number) => number,
): string {
  const held = rows.map((row) => row[seat] ?? 0);
  const shown = out === null ? held : held.slice(0, out + 1);
  return shown
    .map((dice, row) => (row === 0 ? `M${round(x(0))} ${round(y(dice))}` : `H${round(x(row))}V${round(y(dice))}`))
    .join("");
}

/** The most dice that anybody held. */
export function mostDice(rows: readonly (readonly number[])[]): number {
  return Math.max(1, ...rows.flat());
}

/** The round in which a seat lost its last die, null if it never did. */
export function outInRound(rows: readonly (readonly number[])[], seat: number): number | null {
  const row = rows.findIndex((dice) => dice[seat] === 0);
  return row < 0 ? null : row;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

const WIDTH = 1200;
const HEIGHT = 630;

/** The drawing as a PNG. Throws if the browser cannot draw it. */
async function toPng(svg: SVGSVGElement): Promise<Blob> {
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
