/** How likely a bid is, as a sentence. */
import { formatPercent } from "../lib/formatting";
import { t } from "../lib/i18n.svelte";

/** The chance of a bid by the own dice, 0 to 100: what is certain or impossible is called so. Needs the words `actions`. */
export function likelihood(chance: number): string {
  if (chance === 100) return t("table.likely.certain");
  return t(chance === 0 ? "table.likely.impossible" : "table.likely", { percent: formatPercent(chance) });
}
