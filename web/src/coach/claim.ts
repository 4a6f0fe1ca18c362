/** The standing bid as a newcomer reads it: how many own dice count, and how many the other player needs. */
import { capitalize, countWord, formatDice } from "../lib/formatting";
import { t } from "../lib/i18n.svelte";
import type { TableStore } from "../table/tableStore.svelte";

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
