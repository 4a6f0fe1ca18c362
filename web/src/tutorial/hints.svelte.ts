/** The hints of the first match: which one is shown, how to read the standing bid, and what to do by the odds. */
import type { BoardState } from "../board/boardState.svelte";
import { loadSession, saveSession } from "../lib/storage";
import type { PlayerView } from "../lib/protocol";
import type { BidPair } from "../lib/ruleset";
import type { OfferedBids } from "../bidding/bids";
import { capitalize, countWord, formatDice } from "../lib/formatting";
import { t } from "../lib/i18n.svelte";
import type { TableStore } from "../table/tableStore.svelte";

/** The hints of the first rounds, in the order in which they are numbered. */
export const NUMBERED = ["dice", "bid", "answer", "count"] as const;
/** `twist`: after the warm-up. `wild`: in the first round with wild ones. `end`: after the second match. */
export type Hint = (typeof NUMBERED)[number] | "twist" | "wild" | "end";

/** The hints that a newcomer has seen, and the one for now. */
export class TutorialState {
  #seen: readonly string[] = $state.raw((loadSession("tutorial.seen") ?? "").split(" "));
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
    if (mode === "reveal") return board.reveal.settled ? ["count"] : [];
    if (mode !== "bidding") return board.celebrated ? ended : [];
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
    saveSession("tutorial.seen", this.#seen.join(" "));
  }
}

/** A call, or a bid with its chance in percent. 100 stands for a bid that the own dice prove. */
type Advice = { type: "call" } | { type: "bid"; bid: BidPair; chance: number };

/** Below this probability in percent, the standing bid is challenged. */
const UNLIKELY = 50;

/** The advice for a turn, null if the server sent no odds. */
export function advise(own: OfferedBids & Pick<PlayerView, "standing_odds" | "may_challenge">): Advice | null {
  if (own.odds.length !== own.bids.length) return null;
  const chance = own.standing_odds ?? 100;
  if (own.may_challenge && chance < UNLIKELY) return { type: "call" };
  const best = likeliest(own);
  if (own.may_challenge && (best === null || 100 - chance > best.chance)) return { type: "call" };
  return best;
}

/** The likeliest bid. Among bids that the own dice prove it is the highest one, which says most. */
function likeliest({ bids, odds }: OfferedBids): (Advice & { type: "bid" }) | null {
  const best = Math.max(...odds);
  const index = best === 100 ? odds.lastIndexOf(best) : odds.indexOf(best);
  const bid = bids[index];
  return bid ? { type: "bid", bid, chance: best } : null;
}

/** The standing bid at a table of two players. */
export class Claim {
  constructor(readonly table: TableStore) {}

  /** The name of the other player. */
  get name(): string {
    return this.table.players.find((player) => player.id !== this.table.own.player)?.name ?? "";
  }

  /** The number of dice under both cups. */
  get total(): number {
    return (this.table.match?.dice ?? []).reduce((sum, held) => sum + held, 0);
  }

  /** The number of dice under the other cup. */
  get others(): number {
    return this.total - this.table.own.hand.length;
  }

  /** How many more dice the other player needs for the standing bid. */
  get need(): number {
    return (this.table.match?.bids.at(-1)?.[1][0] ?? 0) - this.table.own.counts.length;
  }

  /** How many own dice count, as a sentence. */
  get own(): string {
    const count = this.table.own.counts.length;
    return count === 0 ? t("tutorial.own.none") : capitalize(t("tutorial.own", { count, n: countWord(count) }));
  }

  /** What the other player needs, as a sentence. */
  get rest(): string {
    const { name, need } = this;
    const others = formatDice(this.others);
    if (need <= 0) return t("tutorial.need.nothing", { name });
    return t(need > this.others ? "tutorial.need.impossible" : "tutorial.need", {
      name,
      need: countWord(need),
      others,
    });
  }
}
