/** The bids, and passes, that a player can choose. */
import type { ChartCell, BidRange, PlayerView } from "../lib/protocol";
import type { BidPair, Ruleset } from "../lib/ruleset";

/** One row of the chart. */
interface BidRow {
  /** The row number, counted from the bottom. */
  row: number;
  /** One bid for each face, null for an empty cell. */
  cells: (BidPair | null)[];
}

/** The most columns for which a phone has room. */
const MAX_COLUMNS = 8;

/** Whether the dice have more faces than there is room for side by side. */
export function hasManyFaces(faces: readonly number[]): boolean {
  return faces.length > MAX_COLUMNS;
}

/** The rows from the lowest up to one row above the highest legal bid. `faces` is the order of the columns. */
export function bidRows(
  cells: readonly ChartCell[],
  faces: readonly number[],
  legal: readonly BidPair[],
  standing: BidPair | null,
): BidRow[] {
  const drawn = new Set([...legal, ...(standing ? [standing] : [])].map(([quantity, face]) => [quantity, face].join()));
  const rows = new Map<number, BidRow>();
  let top = 0;
  for (const [quantity, face, number] of cells) {
    const row = rows.get(number) ?? { row: number, cells: faces.map(() => null) };
    rows.set(number, row);
    const column = faces.indexOf(face);
    if (column >= 0) row.cells[column] = [quantity, face];
    if (drawn.has([quantity, face].join())) top = Math.max(top, number);
  }
  return [...rows.values()].filter((row) => row.row <= top + 1).sort((a, b) => a.row - b.row);
}

/** Whether both are bids, and equal. */
export function sameBid(a: BidPair | null | undefined, b: BidPair | null | undefined): boolean {
  return !!a && !!b && a[0] === b[0] && a[1] === b[1];
}

/** The legal bid that a key moves to from a bid. Null if there is none, undefined for keys other than arrows, Home, End. */
export function bidInDirection(
  key: string,
  from: BidPair,
  rows: readonly BidRow[],
  isLegal: (bid: BidPair) => boolean,
): BidPair | null | undefined {
  const rowIndex = rows.findIndex((row) => row.cells.some((bid) => sameBid(bid, from)));
  const row = rows[rowIndex];
  if (!row) return undefined;
  const column = row.cells.findIndex((bid) => sameBid(bid, from));
  const firstLegal = (bids: (BidPair | null | undefined)[]): BidPair | null =>
    bids.find((bid): bid is BidPair => !!bid && isLegal(bid)) ?? null;
  switch (key) {
    case "ArrowUp":
      return firstLegal(rows.slice(rowIndex + 1).map((row) => row.cells[column]));
    case "ArrowDown":
      return firstLegal(
        rows
          .slice(0, rowIndex)
          .map((row) => row.cells[column])
          .reverse(),
      );
    case "ArrowRight":
      return firstLegal(row.cells.slice(column + 1));
    case "ArrowLeft":
      return firstLegal(row.cells.slice(0, column).reverse());
    case "Home":
      return firstLegal(row.cells);
    case "End":
      return firstLegal([...row.cells].reverse());
    default:
      return undefined;
  }
}

/** The lowest legal bid of a face, null if there is none. */
export function lowestBid(legal: readonly BidPair[], face: number): BidPair | null {
  return legal.filter((bid) => bid[1] === face).sort((a, b) => a[0] - b[0])[0] ?? null;
}

/** The bid at which the keyboard begins: the fewest dice, and of these the face that the hand has most of; jokers count for all. */
export function firstBid(legal: readonly BidPair[], hand: readonly number[], joker: number | null): BidPair | null {
  const plain = legal.filter(([, face]) => face !== joker);
  const fewest = Math.min(...plain.map(([quantity]) => quantity));
  const held = (bid: BidPair): number => hand.filter((face) => face === bid[1]).length;
  const lowest = plain.filter(([quantity]) => quantity === fewest).sort((a, b) => held(b) - held(a));
  return lowest[0] ?? legal[0] ?? null;
}

/** Legal bids as [quantity, face], and the odds of each in percent, none where they are not shown. */
export interface OfferedBids {
  bids: BidPair[];
  odds: number[];
}

/** The bids in ranges, lowest quantity first, and bids of one quantity in the order of the ranges: that of their odds. */
export function bidsIn(ranges: readonly BidRange[]): Required<BidPair>[] {
  const bids = ranges.flatMap(([lowest, highest, face, pure]) =>
    Array.from({ length: highest - lowest + 1 }, (_, above): Required<BidPair> => [lowest + above, face, pure]),
  );
  return bids.sort((a, b) => a[0] - b[0]);
}

/** The bids of one kind. Those on the special face are of both kinds, as they are zhai without saying so. */
export function offeredBids(own: PlayerView, zhai: boolean, specialFace: number): OfferedBids {
  const all = bidsIn(own.bids);
  const hasOdds = own.odds.length === all.length;
  const isOffered = ([, face, pure]: Required<BidPair>): boolean => (zhai ? pure || face === specialFace : !pure);
  return {
    bids: all.filter(isOffered).map(([quantity, face]) => [quantity, face]),
    odds: hasOdds ? own.odds.filter((_, place) => isOffered(all[place] ?? [0, 0, false])) : [],
  };
}

/** Whether these dice, as they lie, are one of the hands with which players may pass. */
export function allowsPass({ bidding, dice }: Ruleset, hand: readonly number[]): boolean {
  if (!bidding.pass_with || hand.length < (bidding.pass_dice ?? dice.per_player)) return false;
  const counts = [...new Set(hand)].map((face) => hand.filter((die) => die === face).length).sort();
  return bidding.pass_with.some((kind) => {
    switch (kind) {
      case "alike":
        return counts.length === 1;
      case "all_different":
        return counts.length === hand.length;
      case "full_house":
        return counts.length === 2 && counts[0] === 2 && counts[1] === 3;
    }
  });
}
