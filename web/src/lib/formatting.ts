/** Numbers, faces, bids and names as players say them, in the current language. */
import { translateLabel } from "./labels";
import { i18n, t } from "./i18n.svelte";
import { SUM_FACE, shownStakes, type BidPair, type Ruleset } from "./ruleset";

/** A number without a noun, as a word up to twenty: "six". */
export function countWord(count: number): string {
  return t("word.numbers").split("|")[count] ?? String(count);
}

/** A number before a noun that has the fitting form: "six fours", in Spanish also "un cuatro" and "una estrella". */
function countNoun(count: number, noun: string): string {
  return `${count === 1 ? one(isFeminine(noun)) : countWord(count)} ${noun}`;
}

function one(feminine: boolean): string {
  const forms = t("word.one").split("|");
  return forms[Number(feminine)] ?? "";
}

/** The name of a face, plural unless `count` is 1. The special face may have a name of its own in the rules. */
export function faceName(rules: Ruleset | undefined, face: number, count = 2): string {
  const special = rules?.labels.special_face;
  if (special && rules.dice.special_face === face) {
    const plural = translateLabel(special);
    return count === 1 ? singular(plural) : plural;
  }
  return t(count === 1 ? "word.face" : "word.faces").split("|")[face - 1] ?? String(face);
}

/** The faces that count for a bid on a face: "fours", or with the wild ones "fours and ones". */
export function countedFaces(rules: Ruleset | undefined, face: number, wildsCount: boolean): string {
  const special = rules?.dice.special_face ?? 1;
  const faces = faceName(rules, face);
  if (!rules?.wilds.special_is_wild || !wildsCount || face === special) return faces;
  return t("word.counted_faces", { faces, specials: faceName(rules, special) });
}

/** A bid: "six fours", "six fours zhai" if it is pure, or "a sum of seven". */
export function formatBid(rules: Ruleset | undefined, [quantity, face, pure]: BidPair): string {
  if (face === SUM_FACE) return t("word.sum_bid", { n: countWord(quantity) });
  const bid = countNoun(quantity, faceName(rules, face, quantity));
  return pure ? t("word.pure_bid", { bid }) : bid;
}

/** A chance of 0 to 100 as a percentage. 0 stands for what is impossible, 100 for certainty; 1 may be less than that. */
export function formatPercent(chance: number): string {
  const percentage = new Intl.NumberFormat(i18n.language, { style: "percent" }).format(chance / 100);
  return chance === 1 ? `≤${percentage}` : percentage;
}

/** A probability of 0 to 1 in per cent; never 0% or 100% for what is merely unlikely: "over 99%". */
export function formatProbability(p: number, digits = 0): string {
  const style = { style: "percent", minimumFractionDigits: digits, maximumFractionDigits: digits } as const;
  const format = (share: number) => new Intl.NumberFormat(i18n.language, style).format(share);
  const least = 10 ** -(digits + 2);
  if (p > 0 && p < least) return t("percent.under", { p: format(least) });
  if (p > 1 - least && p < 1) return t("percent.over", { p: format(1 - least) });
  return format(p);
}

/** A probability of 0 to 1 in hundredths, for narrow places: "<1" and ">99" for what is merely unlikely. */
export function hundredths(p: number): string {
  if (p > 0 && p < 0.01) return "<1";
  return p > 0.99 && p < 1 ? ">99" : String(Math.round(100 * p));
}

/** A number of dice: "two dice". */
export function formatDice(count: number): string {
  return t("word.dice", { count, n: count === 1 ? one(false) : countWord(count) });
}

/** Dice by face, in ascending order: "one one and two fours". */
export function formatFaces(rules: Ruleset | undefined, dice: readonly number[]): string {
  const faces = [...new Set(dice)].sort((a, b) => a - b);
  return joinList(faces.map((face) => formatBid(rules, [dice.filter((die) => die === face).length, face])));
}

/** The name of what losses cost where that is lives, plural unless `count` is 1; "" where losses cost dice. */
export function livesName(rules: Ruleset | undefined, count = 2): string {
  if (!rules?.loss.lives) return "";
  const plural = rules.labels.lives && translateLabel(rules.labels.lives);
  if (plural) return count === 1 ? singular(plural) : plural;
  return t("word.lives").split("|")[Number(count !== 1)] ?? "";
}

/** A number of what losses cost: "two dice" or "two lives". */
export function formatStakes(rules: Ruleset | undefined, count: number): string {
  const name = livesName(rules, count);
  return name ? countNoun(count, name) : formatDice(count);
}

/** The number that the table shows for dice or lives left, without the noun; the number one agrees with it. */
export function countLeft(rules: Ruleset | undefined, left: number): string {
  const count = shownStakes(rules, left);
  return count === 1 && isFeminine(livesName(rules)) ? one(true) : countWord(count);
}

/** The word of a call in these rules. Common words are translated, others stay as the rules have them. */
export function callLabel(rules: Ruleset | undefined, which: "challenge" | "exact" | "special_round"): string {
  const fallback = { challenge: "Liar!", exact: "Exact!", special_round: "Special Round!" }[which];
  const label = rules?.labels[which] ?? fallback;
  return translateLabel(label);
}

/** Joins words to a list: "Ann, Bo and you". */
export function joinList(words: readonly string[]): string {
  const last = words.at(-1) ?? "";
  if (words.length < 2) return last;
  return `${words.slice(0, -1).join(", ")} ${i18n.language === "es" ? spanishAnd(last) : t("word.and")} ${last}`;
}

/** The text with a capital first letter. */
export function capitalize(text: string): string {
  const [first = "", ...rest] = text;
  return first.toLocaleUpperCase(i18n.language) + rest.join("");
}

function singular(plural: string): string {
  if (i18n.language === "es") return spanishSingular(plural);
  return plural.replace(/(xe|sse|she|che)s$/, (end) => end.slice(0, -2)).replace(/([^s])s$/, "$1");
}

// The grammar of `rulebook/spanish.py` for the labels and names of a table.

/** The singular of a plural label. Words from the first preposition on stay as they are: "cara de payasos". */
function spanishSingular(plural: string): string {
  const words = plural.split(/\s+/);
  const preposition = words.findIndex((word) => t("word.prepositions").split("|").includes(word.toLowerCase()));
  const end = preposition < 0 ? words.length : preposition;
  return [...words.slice(0, end).map(singularWord), ...words.slice(end)].join(" ");
}

function singularWord(word: string): string {
  if (word === "aces") return "ace"; // an English plural that looks like a Spanish one
  const stressed = /([aeiou][a-zñ]*)([aiou])nes$/;
  if (stressed.test(word))
    return word.replace(stressed, (_, start: string, vowel: string) => start + (STRESSED[vowel] ?? vowel) + "n");
  if (/[aeiouáéíóú]ces$/.test(word)) return `${word.slice(0, -3)}z`;
  if (/[aeiouáéíóú][dlnrsxy]es$/.test(word)) return word.slice(0, -2);
  return word.replace(/s$/, "");
}

const STRESSED: Partial<Record<string, string>> = { a: "á", i: "í", o: "ó", u: "ú" };

/** Whether a noun, singular or plural, is feminine in the current language. Foreign words are masculine in Spanish. */
export function isFeminine(noun: string): boolean {
  if (i18n.language !== "es") return false;
  const [head = ""] = noun.toLowerCase().split(" ");
  const known = (key: "word.feminine" | "word.masculine"): boolean => {
    const nouns = t(key).split("|");
    return nouns.includes(head) || nouns.includes(singularWord(head));
  };
  return known("word.feminine") || (/as?$/.test(head) && !known("word.masculine"));
}

/** The word "y" before the last word of a list, or "e" before the sound i. */
function spanishAnd(last: string): string {
  return /^h?[ií](?![aeou])/i.test(last) ? "e" : t("word.and");
}
