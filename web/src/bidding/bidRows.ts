/** The claim chart as rows of bids, and the way from one lit bid to the next. Where a bid stands, the table says. */
import type { ChartCell } from "../lib/protocol";
import type { BidPair } from "../lib/gameTypes";

export interface BidRow {
  /** Its number, from the bottom. */
  row: number;
  /** One place a face; null where no bid stands. */
  cells: (BidPair | null)[];
}

/** The rows from the lowest up, as far as there is anything to say, with one dark row above. */
export function bidRows(
  cells: readonly ChartCell[],
  faces: readonly number[],
  legal: readonly BidPair[],
  standing: BidPair | null,
): BidRow[] {
  const wanted = new Set([...legal, ...(standing ? [standing] : [])].map((bid) => bid.join()));
  const rows = new Map<number, BidRow>();
  let top = 0;
  for (const [quantity, face, number] of cells) {
    const row = rows.get(number) ?? { row: number, cells: faces.map(() => null) };
    rows.set(number, row);
    const column = faces.indexOf(face);
    if (column >= 0) row.cells[column] = [quantity, face];
    if (wanted.has([quantity, face].join())) top = Math.max(top, number);
  }
  return [...rows.values()].filter((row) => row.row <= top + 1).sort((one, other) => one.row - other.row);
}

export function sameBid(one: BidPair | null | undefined, other: BidPair | null | undefined): boolean {
  return !!one && !!other && one[0] === other[0] && one[1] === other[1];
}

/** The lit bid that an arrow key leads to: null where there is none, undefined for keys that lead nowhere. */
export function bidInDirection(
  key: string,
  from: BidPair,
  rows: readonly BidRow[],
  lit: (bid: BidPair) => boolean,
): BidPair | null | undefined {
  const at = rows.findIndex((row) => row.cells.some((bid) => sameBid(bid, from)));
  const here = rows[at];
  if (!here) return undefined;
  const column = here.cells.findIndex((bid) => sameBid(bid, from));
  const first = (bids: (BidPair | null | undefined)[]): BidPair | null =>
    bids.find((bid): bid is BidPair => !!bid && lit(bid)) ?? null;
  switch (key) {
    case "ArrowUp":
      return first(rows.slice(at + 1).map((row) => row.cells[column]));
    case "ArrowDown":
      return first(
        rows
          .slice(0, at)
          .map((row) => row.cells[column])
          .reverse(),
      );
    case "ArrowRight":
      return first(here.cells.slice(column + 1));
    case "ArrowLeft":
      return first(here.cells.slice(0, column).reverse());
    case "Home":
      return first(here.cells);
    case "End":
      return first([...here.cells].reverse());
    default:
      return undefined;
  }
}

/** The least bid of a face among those that may be made. */
export function lowestBid(legal: readonly BidPair[], face: number): BidPair | null {
  return legal.filter((bid) => bid[1] === face).sort((one, other) => one[0] - other[0])[0] ?? null;
}
