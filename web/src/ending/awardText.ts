/** The awards of a match in words. */
import { t } from "../lib/i18n.svelte";
import { formatBid, formatPercent } from "../lib/formatting";
import type { Ruleset } from "../lib/gameTypes";
import type { Award } from "../lib/protocol";

/** What an award is for. */
export function awardTitle({ kind }: Award): string {
  return t(`award.title.${kind}`);
}

/** How the award was earned, as a sentence. */
export function awardReason(rules: Ruleset | undefined, award: Award): string {
  const { kind, bid, count, dice, p, round_number: round } = award;
  const chance = p ?? 0;
  return t(`award.reason.${kind}`, {
    bid: bid ? formatBid(rules, [bid.quantity, bid.face]) : "",
    percent: formatPercent(Math.max(1, Math.round(chance * 100))),
    rolls: chance > 0 ? Math.round(1 / chance) : 0,
    count,
    dice,
    round,
  });
}
