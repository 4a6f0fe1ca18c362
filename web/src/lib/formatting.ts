/** Numbers, faces, bids and names as players say them, in the current language. */
import { i18n, t, type Key } from "./i18n.svelte";
import type { BidPair, Labels, Ruleset } from "./gameTypes";

/** A number before its noun, as a word up to twenty: "six" in "six fours". */
export function countWord(count: number): string {
  return t("word.numbers").split("|")[count] ?? count.toLocaleString(i18n.language);
}

/** A number without a noun: "six", in Spanish "uno" where `countWord` says "un". */
export function countWordAlone(count: number): string {
  return count === 1 ? t("word.one") : countWord(count);
}

/** The name of a face, plural unless `count` is 1. The special face may have a name of its own in the rules. */
export function faceName(rules: Ruleset | undefined, face: number, count = 2): string {
  const special = rules?.labels.special_face;
  if (special && rules.dice.special_face === face) {
    const plural = translated(`word.special.${special}`, special);
    return count === 1 ? singular(plural) : plural;
  }
  return t(count === 1 ? "word.face" : "word.faces").split("|")[face - 1] ?? String(face);
}

/** A bid: "six fours". */
export function formatBid(rules: Ruleset | undefined, [quantity, face]: BidPair): string {
  return t("word.bid", { count: countWord(quantity), face: faceName(rules, face, quantity) });
}

/** A chance of 0 to 100 as a percentage. */
export function formatPercent(chance: number): string {
  return new Intl.NumberFormat(i18n.language, { style: "percent" }).format(chance / 100);
}

/** A number of dice: "two dice". */
export function formatDice(count: number): string {
  return t("word.dice", { count, n: countWord(count) });
}

/** The word of a call in these rules. Common words are translated, others stay as the rules have them. */
export function callLabel(rules: Ruleset | undefined, which: keyof Omit<Labels, "game" | "special_face">): string {
  const fallback = { challenge: "Liar!", exact: "Exact!", special_round: "Special Round!" }[which];
  const label = rules?.labels[which] ?? fallback;
  return translated(`word.call.${label}`, label);
}

/** Joins words to a list: "Ann, Bo and you". */
export function joinList(words: readonly string[]): string {
  const last = words.at(-1) ?? "";
  return words.length < 2 ? last : t("word.and", { list: words.slice(0, -1).join(", "), last });
}

/** The text with a capital first letter. */
export function capitalize(text: string): string {
  const [first = "", ...rest] = text;
  return first.toLocaleUpperCase(i18n.language) + rest.join("");
}

function translated(key: string, fallback: string): string {
  return key in i18n.words ? t(key as Key) : fallback;
}

function singular(plural: string): string {
  if (i18n.language === "es") return plural.endsWith("nes") ? `${plural.slice(0, -3)}n` : plural.replace(/e?s$/, "");
  return plural.replace(/(xe|sse|she|che)s$/, (end) => end.slice(0, -2)).replace(/([^s])s$/, "$1");
}
