/** What the page says, in the reader's language. The words are in `words/`, one file a language. */
import type en from "../words/en.json";
import { recalled, remember } from "./stored";

type Words = typeof en;
export type Key = keyof Words;
/** One sentence, or its plural forms by the categories of `Intl.PluralRules`. */
type Sentence = string | (Partial<Record<Intl.LDMLPluralRule, string>> & { other: string });
export type Values = Record<string, string | number>;

export const LANGUAGES = { en: "English", es: "Español" } as const;
export type Language = keyof typeof LANGUAGES;

const files: Record<Language, () => Promise<{ default: Record<Key, Sentence> }>> = {
  en: () => import("../words/en.json"),
  es: () => import("../words/es.json"),
};

class Speech {
  language = $state<Language>("en");
  words = $state.raw<Record<Key, Sentence> | null>(null);
  plural = $derived(new Intl.PluralRules(this.language));
}

export const speech = new Speech();

/** The language chosen here before, or else the first of the browser's that there is. */
export function preferred(): Language {
  const wanted = [recalled("language") ?? "", ...navigator.languages].map((tag) => tag.toLowerCase().split("-")[0]);
  return wanted.find((tag): tag is Language => tag !== undefined && Object.hasOwn(LANGUAGES, tag)) ?? "en";
}

/** Say everything in this language from now on. */
export async function speak(language: Language): Promise<void> {
  speech.words = (await files[language]()).default;
  speech.language = language;
  document.documentElement.lang = language;
}

/** Speak a language, and again at the next visit. */
export async function choose(language: Language): Promise<void> {
  await speak(language);
  remember("language", language);
}

/**
 * The sentence of a key, with `{name}` replaced by the value of that name. `values.count` chooses the plural form.
 * `t("dice", { count: 2 })` is "2 dice".
 */
export function t(key: Key, values: Values = {}): string {
  const sentence = speech.words?.[key] ?? key;
  const { count } = values;
  const text =
    typeof sentence === "string"
      ? sentence
      : (sentence[typeof count === "number" ? speech.plural.select(count) : "other"] ?? sentence.other);
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name];
    return typeof value === "number" ? value.toLocaleString(speech.language) : (value ?? whole);
  });
}
