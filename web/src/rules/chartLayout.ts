/** A claim chart as the server writes it, made ready to draw. */
import type { Chart } from "../lib/protocol";

export interface ChartBid {
  quantity: number;
  face: number;
}

/** `ladder`: bids in order, a line each, with a place for every face. `faces`: one line a face. `least`: over a bid. */
export type ChartLayout =
  | { kind: "ladder"; faces: number[]; lines: (ChartBid | null)[][]; usual: number }
  | { kind: "faces"; lines: ChartBid[][] }
  | { kind: "minimums"; faces: number[]; lines: { over: ChartBid; minimums: string[] }[] }
  | { kind: "text"; lines: readonly (readonly string[])[] };

const BID = /^(\d+)x(\d+)$/;

export function layoutChart(chart: Chart): ChartLayout {
  const ladder = chart.rows.every((row) => row.length === 1);
  const layout = ladder ? ladderLayout(chart) : minimumLayout(chart);
  return layout ?? { kind: "text", lines: chart.rows };
}

export function parseBid(text: string): ChartBid | null {
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

/** The faces in the order of the longest line, then those that it lacks. */
function faceColumns(lines: readonly ChartBid[][]): number[] {
  const longest = lines.reduce((one, other) => (other.length > one.length ? other : one), []);
  const all = [...longest, ...lines.flat()].map(({ face }) => face);
  return all.filter((face, place) => all.indexOf(face) === place);
}

function minimumLayout(chart: Chart): ChartLayout | null {
  const lines: { over: ChartBid; minimums: string[] }[] = [];
  for (const [standing = "", ...minimums] of chart.rows) {
    const over = parseBid(standing);
    if (over === null) return null;
    lines.push({ over, minimums });
  }
  const count = (chart.head.length || 1) - 1;
  const faces = lines.slice(0, count).map(({ over }) => over.face);
  return faces.length === count ? { kind: "minimums", faces, lines } : null;
}
