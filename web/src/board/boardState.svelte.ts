/** Which of its pictures the table shows now, and who sits where around it. */
import { getContext, setContext } from "svelte";
import type { TableStore } from "../table/tableStore.svelte";
import { RevealAnimation } from "../reveal/revealAnimation.svelte";
import type { BidPair } from "../lib/gameTypes";
import type { SummaryContext } from "../reveal/callSummary";

export type BoardMode = "loading" | "gathering" | "bidding" | "reveal" | "over";

export class BoardState {
  readonly table: TableStore;
  readonly reveal = new RevealAnimation();

  constructor(table: TableStore) {
    this.table = table;
  }

  mode: BoardMode = $derived.by(() => {
    const { state, match } = this.table;
    if (!state) return "loading";
    if (state.stage === "gathering" || !match) return "gathering";
    if (state.stage === "over") return this.reveal.verdict && !this.reveal.dismissed ? "reveal" : "over";
    return this.reveal.verdict ? "reveal" : "bidding";
  });

  /** How many sit in the match, or could before it. */
  seatCount = $derived.by(() => {
    const { state, match, players, setting } = this.table;
    if (state?.stage === "gathering") return Math.max(setting?.options.seats ?? 0, players.length);
    return match?.dice.length ?? 0;
  });

  /** My place around the table; before a match everybody who sits has one. */
  ownSeat: number | null = $derived.by(() =>
    this.table.state?.stage === "gathering" ? this.table.own.seat : this.table.seat,
  );

  /** The seats of the others, clockwise from my left. */
  otherSeats: number[] = $derived.by(() => {
    const from = this.ownSeat === null ? 0 : this.ownSeat + 1;
    const count = this.ownSeat === null ? this.seatCount : this.seatCount - 1;
    return Array.from({ length: Math.max(count, 0) }, (_, at) => (from + at) % this.seatCount);
  });

  /** Whether so many sit that each has little room. */
  crowded: boolean = $derived.by(() => this.otherSeats.length > 5);

  /** The bid that stands, and whose it is. */
  standingBid: { seat: number; bid: BidPair } | null = $derived.by(() => {
    const last = this.table.match?.bids.at(-1);
    return last ? { seat: last[0], bid: last[1] } : null;
  });

  summaryContext: SummaryContext = $derived.by(() => ({
    rules: this.table.setting?.options.ruleset,
    names: this.table.players.map((one) => one.name),
    viewerSeat: this.table.seat,
    stakesFactor: this.table.match?.factor ?? 1,
  }));

  isSpecialRound = $derived.by(
    () => this.mode !== "over" && this.mode !== "gathering" && (this.table.match?.special_seat ?? null) !== null,
  );

  /** Somebody's latest bid of this round. */
  latestBid(seat: number): BidPair | null {
    return this.table.match?.bids.findLast(([by]) => by === seat)?.[1] ?? null;
  }
}

const KEY = Symbol("board");

export function provideBoard(board: BoardState): BoardState {
  return setContext(KEY, board);
}

export function useBoard(): BoardState {
  return getContext<BoardState>(KEY);
}

/** Where the others sit around an oval table, in percent of it, and which way the middle is. */
export function seatPositions(count: number): { x: number; y: number; side: "left" | "right" | "top" }[] {
  // beside the middle, where the bid lies, a hand would not fit
  const spread = [0, 0, 110, 130][count] ?? 222;
  return Array.from({ length: count }, (_, at) => {
    const degrees = 270 + (count === 1 ? 0 : (at / (count - 1) - 0.5) * spread);
    const angle = (degrees * Math.PI) / 180;
    const [x, y] = [50 + 45.5 * Math.cos(angle), 49 + 43 * Math.sin(angle)];
    return { x, y, side: x < 38 ? "left" : x > 62 ? "right" : "top" };
  });
}
