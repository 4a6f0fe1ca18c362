/** Which of its pictures the table shows now, and who sits where around it. */
import { getContext, setContext } from "svelte";
import type { TableStore } from "../table/tableStore.svelte";
import { Theatre } from "../reveal/revealAnimation.svelte";
import type { BidPair } from "../lib/gameTypes";
import type { Telling } from "../reveal/callSummary";

export type Picture = "loading" | "gathering" | "bidding" | "reveal" | "over";

export class Scene {
  readonly table: TableStore;
  readonly theatre = new Theatre();

  constructor(table: TableStore) {
    this.table = table;
  }

  picture: Picture = $derived.by(() => {
    const { table, match } = this.table;
    if (!table) return "loading";
    if (table.stage === "gathering" || !match) return "gathering";
    if (table.stage === "over") return this.theatre.verdict && !this.theatre.left ? "reveal" : "over";
    return this.theatre.verdict ? "reveal" : "bidding";
  });

  /** How many sit in the match, or could before it. */
  seatCount = $derived.by(() => {
    const { table, match, players, setting } = this.table;
    if (table?.stage === "gathering") return Math.max(setting?.options.seats ?? 0, players.length);
    return match?.dice.length ?? 0;
  });

  /** My place around the table; before a match everybody who sits has one. */
  mine: number | null = $derived.by(() =>
    this.table.table?.stage === "gathering" ? this.table.own.seat : this.table.seat,
  );

  /** The seats of the others, clockwise from my left. */
  others: number[] = $derived.by(() => {
    const from = this.mine === null ? 0 : this.mine + 1;
    const count = this.mine === null ? this.seatCount : this.seatCount - 1;
    return Array.from({ length: Math.max(count, 0) }, (_, at) => (from + at) % this.seatCount);
  });

  /** Whether so many sit that each has little room. */
  crowded: boolean = $derived.by(() => this.others.length > 5);

  /** The bid that stands, and whose it is. */
  standing: { seat: number; bid: BidPair } | null = $derived.by(() => {
    const last = this.table.match?.bids.at(-1);
    return last ? { seat: last[0], bid: last[1] } : null;
  });

  telling: Telling = $derived.by(() => ({
    rules: this.table.setting?.options.ruleset,
    names: this.table.players.map((one) => one.name),
    you: this.table.seat,
    factor: this.table.match?.factor ?? 1,
  }));

  special = $derived.by(
    () => this.picture !== "over" && this.picture !== "gathering" && (this.table.match?.special_seat ?? null) !== null,
  );

  /** Somebody's latest bid of this round. */
  bidOf(seat: number): BidPair | null {
    return this.table.match?.bids.findLast(([by]) => by === seat)?.[1] ?? null;
  }
}

const KEY = Symbol("scene");

export function provideScene(scene: Scene): Scene {
  return setContext(KEY, scene);
}

export function useScene(): Scene {
  return getContext<Scene>(KEY);
}

/** Where the others sit around an oval table, in percent of it, and which way the middle is. */
export function places(count: number): { x: number; y: number; side: "left" | "right" | "top" }[] {
  // beside the middle, where the bid lies, a hand would not fit
  const spread = [0, 0, 110, 130][count] ?? 222;
  return Array.from({ length: count }, (_, at) => {
    const degrees = 270 + (count === 1 ? 0 : (at / (count - 1) - 0.5) * spread);
    const angle = (degrees * Math.PI) / 180;
    const [x, y] = [50 + 45.5 * Math.cos(angle), 49 + 43 * Math.sin(angle)];
    return { x, y, side: x < 38 ? "left" : x > 62 ? "right" : "top" };
  });
}
