/** A claim chart as the server writes it, made ready to draw. */
import type { Chart } from "../lib/protocol";

export interface Claim {
  quantity: number;
  face: number;
}

/** `ladder`: bids in order, a line each, with a place for every face. `faces`: one line a face. `least`: over a bid. */
export type Drawing =
  | { kind: "ladder"; faces: number[]; lines: (Claim | null)[][]; usual: number }
  | { kind: "faces"; lines: Claim[][] }
  | { kind: "least"; faces: number[]; lines: { over: Claim; fewest: string[] }[] }
  | { kind: "text"; lines: readonly (readonly string[])[] };

const BID = /^(\d+)x(\d+)$/;

export function drawn(chart: Chart): Drawing {
  const ladder = chart.rows.every((row) => row.length === 1);
  const drawing = ladder ? asLadder(chart) : asLeast(chart);
  return drawing ?? { kind: "text", lines: chart.rows };
}

export function claim(text: string): Claim | null {
  const [, quantity, face] = BID.exec(text) ?? [];
  return quantity === undefined || face === undefined ? null : { quantity: Number(quantity), face: Number(face) };
}

function asLadder(chart: Chart): Drawing | null {
  const lines: Claim[][] = [];
  for (const [text = ""] of chart.rows) {
    const bids = text.split(" ").map(claim);
    if (!bids.every((bid) => bid !== null)) return null;
    lines.push(bids);
  }
  if (lines.every((line) => line.every(({ face }) => face === line[0]?.face))) return { kind: "faces", lines };
  const faces = columns(lines);
  if (lines.some((line) => new Set(line.map(({ face }) => face)).size < line.length)) return null;
  const placed = lines.map((line) => faces.map((face) => line.find((bid) => bid.face === face) ?? null));
  return { kind: "ladder", faces, lines: placed, usual: faces[0] ?? 1 };
}

/** The faces in the order of the longest line, then those that it lacks. */
function columns(lines: readonly Claim[][]): number[] {
  const longest = lines.reduce((one, other) => (other.length > one.length ? other : one), []);
  const all = [...longest, ...lines.flat()].map(({ face }) => face);
  return all.filter((face, place) => all.indexOf(face) === place);
}

function asLeast(chart: Chart): Drawing | null {
  const lines: { over: Claim; fewest: string[] }[] = [];
  for (const [standing = "", ...fewest] of chart.rows) {
    const over = claim(standing);
    if (over === null) return null;
    lines.push({ over, fewest });
  }
  const count = (chart.head.length || 1) - 1;
  const faces = lines.slice(0, count).map(({ over }) => over.face);
  return faces.length === count ? { kind: "least", faces, lines } : null;
}
