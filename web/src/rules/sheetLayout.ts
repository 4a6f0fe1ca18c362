/** The layout of a rule sheet: its chart of bids, and its size on paper. */
import type { Chart } from "../lib/protocol";

/** A bid in the chart. */
interface ChartBid {
  quantity: number;
  face: number;
}

/**
 * `ladder`: one order of all bids, with a column for each face. `faces`: one order, with a line for each face.
 * `minimums`: for each standing bid the lowest higher bid of each face. `text`: a chart of unknown form, as it is.
 */
type ChartLayout =
  | { kind: "ladder"; faces: number[]; lines: (ChartBid | null)[][]; usual: number }
  | { kind: "faces"; lines: ChartBid[][] }
  | { kind: "minimums"; faces: number[]; lines: { standing: ChartBid; minimums: string[] }[] }
  | { kind: "text"; lines: readonly (readonly string[])[] };

const BID = /^(\d+)x(\d+)$/;

/** The layout of a chart. */
export function layoutChart(chart: Chart): ChartLayout {
  const ladder = chart.rows.every((row) => row.length === 1);
  const layout = ladder ? ladderLayout(chart) : minimumLayout(chart);
  return layout ?? { kind: "text", lines: chart.rows };
}

/** Reads a bid such as `3x5` (three fives), null if the text is none. */
function parseBid(text: string): ChartBid | null {
  const [, quantity, face] = BID.exec(text) ?? [];
  return quantity === undefined || face === undefined ? null : { quantity: Number(quantity), face: Number(face) };
}

function ladderLayout(chart: Chart): ChartLayout | null {
  const lines: ChartBid[][] = [];
  for (const [text = ""] of chart.rows) {
    const bids = text.split(" ").map(parseBid);
    if (!bids.every((bid) => bid !== null)) return null;
    lines.push(bids);
  }
  if (lines.every((line) => line.every(({ face }) => face === line[0]?.face))) return { kind: "faces", lines };
  const faces = faceColumns(lines);
  if (lines.some((line) => new Set(line.map(({ face }) => face)).size < line.length)) return null;
  const rows = lines.map((line) => faces.map((face) => line.find((bid) => bid.face === face) ?? null));
  return { kind: "ladder", faces, lines: rows, usual: faces[0] ?? 1 };
}

/** The faces in the order of the longest line, followed by the faces that it lacks. */
function faceColumns(lines: readonly ChartBid[][]): number[] {
  const longest = lines.reduce((best, line) => (line.length > best.length ? line : best), []);
  const all = [...longest, ...lines.flat()].map(({ face }) => face);
  return all.filter((face, index) => all.indexOf(face) === index);
}

function minimumLayout(chart: Chart): ChartLayout | null {
  const lines: { standing: ChartBid; minimums: string[] }[] = [];
  for (const [text = "", ...minimums] of chart.rows) {
    const standing = parseBid(text);
    if (standing === null) return null;
    lines.push({ standing, minimums });
  }
  const count = (chart.head.length || 1) - 1;
  const faces = lines.slice(0, count).map(({ standing }) => standing.face);
  return faces.length === count ? { kind: "minimums", faces, lines } : null;
}

/** The usable height of a page in millimetres, a little less than inside the margins because printers differ. */
const HEIGHT_MM = 273;
const LARGEST_PT = 10.5;
const SMALLEST_PT = 5.5;
const STEP_PT = 0.25;
const PX_PER_MM = 96 / 25.4;

/** The largest font size in points with which the sheet fits. It measures a hidden copy with the print layout. */
export function fitPrintSize(sheet: HTMLElement): number {
  const copy = sheet.cloneNode(true) as HTMLElement;
  copy.classList.add("printed", "measured");
  copy.inert = true;
  document.body.append(copy);
  const fits = (size: number): boolean => {
    copy.style.setProperty("--print-size", `${size}pt`);
    return copy.getBoundingClientRect().height <= HEIGHT_MM * PX_PER_MM;
  };
  try {
    if (fits(LARGEST_PT)) return LARGEST_PT;
    let [low, high] = [SMALLEST_PT, LARGEST_PT];
    while (high - low > STEP_PT) {
      const middle = low + STEP_PT * Math.floor((high - low) / STEP_PT / 2);
      if (fits(middle)) low = middle;
      else high = middle;
    }
    return low;
  } finally {
    copy.remove();
  }
}
