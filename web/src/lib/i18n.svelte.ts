/** What the page says, in the reader's language. The words are in `words/`, a folder a language, loaded in parts. */
import { untrack } from "svelte";
import type { Key, Part } from "../words/wordFiles";
import { recalled, remember } from "./storage";

export type { Key, Part };
/** One sentence, or its plural forms by the categories of `Intl.PluralRules`. */
type Sentence = string | (Partial<Record<Intl.LDMLPluralRule, string>> & { other: string });
type Words = Partial<Record<Key, Sentence>>;
export type Values = Record<string, string | number>;

export const LANGUAGES = { en: "English", es: "Español" } as const;
export type Language = keyof typeof LANGUAGES;

const files = import.meta.glob<Words>("../words/*/*.json", { import: "default" });

class Speech {
  language = $state<Language>("en");
  known = $state.raw<Partial<Record<Language, Words>>>({});
  words = $derived(this.known[this.language] ?? {});
  plural = $derived(new Intl.PluralRules(this.language));
}

export const speech = new Speech();

/** The language chosen here before, or else the first of the browser's that there is. */
export function preferred(): Language {
  const wanted = [recalled("language") ?? "", ...navigator.languages].map((tag) => tag.toLowerCase().split("-")[0]);
  return wanted.find((tag): tag is Language => tag !== undefined && Object.hasOwn(LANGUAGES, tag)) ?? "en";
}

let needed: readonly Part[] = ["common"];
let loaded: readonly string[] = [];

/** Load what is missing of a language. */
async function load(language: Language): Promise<void> {
  for (let parts = missing(language); parts.length > 0; parts = missing(language)) {
    const words = await Promise.all(parts.map((part) => fetched(language, part)));
    loaded = [...loaded, ...parts.map((part) => `${language}/${part}`)];
    speech.known = { ...speech.known, [language]: Object.assign({}, speech.known[language], ...words) as Words };
  }
}

function missing(language: Language): Part[] {
  return needed.filter((part) => !loaded.includes(`${language}/${part}`));
}

async function fetched(language: Language, part: Part): Promise<Words | undefined> {
  return files[`../words/${language}/${part}.json`]?.();
}

/** Have these parts of the words at hand from now on, in whatever language is spoken. */
export async function need(parts: readonly Part[]): Promise<void> {
  needed = [...needed, ...parts.filter((part) => !needed.includes(part))];
  await load(untrack(() => speech.language));
}

/** Say everything in this language from now on. */
export async function speak(language: Language): Promise<void> {
  await load(language);
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
  const sentence = speech.words[key] ?? key;
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
