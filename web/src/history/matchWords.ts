/** Matches and their best moments in words. */
import { i18n, t } from "../lib/i18n.svelte";
import { capitalize, formatBid, formatDice } from "../lib/formatting";
import { translateLabel } from "../lib/labels";
import type { BidPair } from "../lib/gameTypes";
import type { KeptMatch } from "./matchSummary";
import type { KeptMoment } from "./statistics";

/** The name of rules, which a table may have changed. */
export function rulesTitle(game: string, house: boolean): string {
  const name = translateLabel(game);
  return house ? t("matches.house", { game: name }) : name;
}

/** A part of a whole as a percentage, "–" of nothing. */
export function formatShare(part: number, whole: number): string {
  if (whole === 0) return "–";
  return new Intl.NumberFormat(i18n.language, { style: "percent" }).format(part / whole);
}

/** When a match was played. */
export function matchDate({ playedAt }: KeptMatch): string {
  return new Intl.DateTimeFormat(i18n.language, { dateStyle: "medium", timeStyle: "short" }).format(playedAt);
}

/** A moment as a headline and a sentence. */
export function momentWords({ moment, match: { ruleset } }: KeptMoment): { title: string; text: string } {
  const bidWords = (bid: BidPair): string => formatBid(ruleset, bid);
  switch (moment.kind) {
    case "bold": {
      const { bid, held } = moment;
      const title = t(held === 0 ? "matches.bold.none" : "matches.bold", { bid: bidWords(bid), count: held });
      return { title: capitalize(title), text: t("matches.bold.text") };
    }
    case "doubt":
      return {
        title: t("matches.doubt", { bid: bidWords(moment.bid) }),
        text: t("matches.doubt.text", { count: moment.count }),
      };
    case "roll":
      return {
        title: capitalize(t("matches.roll", { dice: formatDice(moment.dice.length) })),
        text: t("matches.roll.text"),
      };
    case "comeback":
      return { title: t("matches.comeback"), text: t("matches.comeback.text", { count: moment.rounds }) };
  }
}
