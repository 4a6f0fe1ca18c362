/** What a newcomer is told on their turn: how to read the standing bid, and what to do by the odds of the server. */
import type { PlayerView } from "../lib/protocol";
import type { BidPair } from "../lib/ruleset";
import type { OfferedBids } from "../bidding/bids";
import { capitalize, countWord, formatDice } from "../lib/formatting";
import { t } from "../lib/i18n.svelte";
import type { TableStore } from "../table/tableStore.svelte";

/** A call, or a bid with its chance in percent. 100 stands for a bid that the own dice prove. */
type Advice = { type: "call" } | { type: "bid"; bid: BidPair; chance: number };

/** Below this probability in percent, the standing bid is challenged. */
const UNLIKELY = 50;

/** The advice for a turn, null if the server sent no odds. */
export function advise(own: OfferedBids & Pick<PlayerView, "standing_odds" | "challenge">): Advice | null {
  if (own.odds.length !== own.bids.length) return null;
  const chance = own.standing_odds ?? 100;
  if (own.challenge && chance < UNLIKELY) return { type: "call" };
  const best = likeliest(own);
  if (own.challenge && (best === null || 100 - chance > best.chance)) return { type: "call" };
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
    return count === 0 ? t("coach.own.none") : capitalize(t("coach.own", { count, n: countWord(count) }));
  }

  /** What the other player needs, as a sentence. */
  get rest(): string {
    const { name, need } = this;
    const others = formatDice(this.others);
    if (need <= 0) return t("coach.need.nothing", { name });
    return t(need > this.others ? "coach.need.impossible" : "coach.need", { name, need: countWord(need), others });
  }
}
