/** Which hint of the first match is shown: each once, when it matters and the page has shown what it is about. */
import type { BoardState } from "../board/boardState.svelte";
import { loadSession, saveSession } from "../lib/storage";

/** The hints of the first rounds, in the order in which they are numbered. */
export const NUMBERED = ["dice", "bid", "answer", "count"] as const;
/** `twist`: after the warm-up. `wild`: in the first round with wild ones. `end`: after the second match. */
export type Hint = (typeof NUMBERED)[number] | "twist" | "wild" | "end";

/** The hints that a newcomer has seen, and the one for now. */
export class CoachState {
  #seen: readonly string[] = $state.raw((loadSession("coach.seen") ?? "").split(" "));
  /** The hint to show now, null for none. */
  hint: Hint | null = $derived.by(() => this.#fitting.find((hint) => !this.#seen.includes(hint)) ?? null);

  constructor(readonly board: BoardState) {}

  /** The hints that fit what happens now, the most urgent one first. */
  get #fitting(): Hint[] {
    const { board } = this;
    const { table, mode } = board;
    // by its number: the rules of the table change before the second match begins
    const warmUp = (table.match?.number ?? 1) === 1;
    const ended: Hint[] = table.state?.stage === "over" ? [warmUp ? "twist" : "end"] : [];
    if (mode === "reveal") return board.reveal.settled ? ["count", ...(warmUp ? ended : [])] : [];
    if (mode !== "bidding") return ended;
    // on another turn, a bid would move what a hint points at, and the hint with it
    if (table.own.hand.length === 0 || board.roll.rolling || !table.myTurn) return [];
    const fitting: Hint[] = ["dice"];
    if (table.rules?.wilds.special_is_wild) fitting.push("wild");
    fitting.push("bid");
    if (board.standingBid) fitting.push("answer");
    return fitting;
  }

  /** Never shows a hint of this name again in this tab. */
  see(hint: Hint): void {
    if (this.#seen.includes(hint)) return;
    this.#seen = [...this.#seen, hint];
    saveSession("coach.seen", this.#seen.join(" "));
  }
}
