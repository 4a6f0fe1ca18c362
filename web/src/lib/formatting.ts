/** How players say things: numbers, faces, bids and names in words. */
import { i18n, t, type Key } from "./i18n.svelte";
import type { BidPair, Labels, Ruleset } from "./gameTypes";

/** A number before its noun, in words up to twenty: "six" fours. */
export function countWord(count: number): string {
  return t("word.numbers").split("|")[count] ?? count.toLocaleString(i18n.language);
}

/** A number that stands countWordAlone. */
export function countWordAlone(count: number): string {
  return count === 1 ? t("word.one") : countWord(count);
}

/** So many dice of a face, without the number of them, as this table calls them. */
export function faceName(rules: Ruleset | undefined, face: number, count = 2): string {
  const special = rules?.labels.special_face;
  if (special && rules.dice.special_face === face) {
    const plural = known(`word.special.${special}`, special);
    return count === 1 ? singular(plural) : plural;
  }
  return t(count === 1 ? "word.face" : "word.faces").split("|")[face - 1] ?? String(face);
}

/** A bid as players say it: "six fours". */
export function formatBid(rules: Ruleset | undefined, [quantity, face]: BidPair): string {
  return t("word.bid", { count: countWord(quantity), face: faceName(rules, face, quantity) });
}

/** A chance in whole percent, as the language writes it. */
export function formatPercent(chance: number): string {
  return new Intl.NumberFormat(i18n.language, { style: "percent" }).format(chance / 100);
}

/** A number of dice: "two dice". */
export function formatDice(count: number): string {
  return t("word.dice", { count, n: countWord(count) });
}

/** A call of the table, in the reader's language where it is a usual one. */
export function callLabel(rules: Ruleset | undefined, which: keyof Omit<Labels, "game" | "special_face">): string {
  const fallback = { challenge: "Liar!", exact: "Exact!", special_round: "Special Round!" }[which];
  const said = rules?.labels[which] ?? fallback;
  return known(`word.call.${said}`, said);
}

/** Several in a row: "Ann, Bo and you". */
export function joinList(words: readonly string[]): string {
  const last = words.at(-1) ?? "";
  return words.length < 2 ? last : t("word.and", { list: words.slice(0, -1).join(", "), last });
}

/** The same with a capital at the beginning. */
export function capitalize(text: string): string {
  const [first = "", ...rest] = text;
  return first.toLocaleUpperCase(i18n.language) + rest.join("");
}

function known(key: string, otherwise: string): string {
  return key in i18n.words ? t(key as Key) : otherwise;
}

function singular(plural: string): string {
  if (i18n.language === "es") return plural.endsWith("nes") ? `${plural.slice(0, -3)}n` : plural.replace(/e?s$/, "");
  return plural.replace(/(xe|sse|she|che)s$/, (end) => end.slice(0, -2)).replace(/([^s])s$/, "$1");
}
