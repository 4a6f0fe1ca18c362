/** Spanish nouns and lists: the grammar of `rulebook/spanish.py` for the labels and names of a table. */
import { t } from "./i18n.svelte";

/** The singular of a plural label. Words from the first preposition on stay as they are: "cara de payasos". */
export function singular(plural: string): string {
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

/** Whether a noun, singular or plural, is feminine. Foreign words are masculine. */
export function isFeminine(noun: string): boolean {
  const [head = ""] = noun.toLowerCase().split(" ");
  const known = (key: "word.feminine" | "word.masculine"): boolean => {
    const nouns = t(key).split("|");
    return nouns.includes(head) || nouns.includes(singularWord(head));
  };
  return known("word.feminine") || (/as?$/.test(head) && !known("word.masculine"));
}

/** The word "y" before the last word of a list, or "e" before the sound i. */
export function and(last: string): string {
  return /^h?[ií](?![aeou])/i.test(last) ? "e" : t("word.and");
}
