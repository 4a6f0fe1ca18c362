/** What the page says, in the reader's language. The words are in `words/`, a folder a language, loaded in parts. */
import { untrack } from "svelte";
import type { Key, WordFile } from "../words/wordFiles";
import { loadLocal, saveLocal } from "./storage";

export type { Key, WordFile };
/** One sentence, or its plural forms by the categories of `Intl.PluralRules`. */
type Sentence = string | (Partial<Record<Intl.LDMLPluralRule, string>> & { other: string });
type Words = Partial<Record<Key, Sentence>>;
export type Values = Record<string, string | number>;

export const LANGUAGES = { en: "English", es: "Español" } as const;
export type Language = keyof typeof LANGUAGES;

const files = import.meta.glob<Words>("../words/*/*.json", { import: "default" });

class I18n {
  language = $state<Language>("en");
  loaded = $state.raw<Partial<Record<Language, Words>>>({});
  words = $derived(this.loaded[this.language] ?? {});
  pluralRules = $derived(new Intl.PluralRules(this.language));
}

export const i18n = new I18n();

/** The language chosen here before, or else the first of the browser's that there is. */
export function preferredLanguage(): Language {
  const tags = [loadLocal("language") ?? "", ...navigator.languages].map((tag) => tag.toLowerCase().split("-")[0]);
  return tags.find((tag): tag is Language => tag !== undefined && Object.hasOwn(LANGUAGES, tag)) ?? "en";
}

let requiredFiles: readonly WordFile[] = ["common"];
let loadedFiles: readonly string[] = [];

/** Load what is missing of a language. */
async function load(language: Language): Promise<void> {
  for (let wordFiles = missing(language); wordFiles.length > 0; wordFiles = missing(language)) {
    const words = await Promise.all(wordFiles.map((file) => loadFile(language, file)));
    loadedFiles = [...loadedFiles, ...wordFiles.map((file) => `${language}/${file}`)];
    i18n.loaded = { ...i18n.loaded, [language]: Object.assign({}, i18n.loaded[language], ...words) as Words };
  }
}

function missing(language: Language): WordFile[] {
  return requiredFiles.filter((file) => !loadedFiles.includes(`${language}/${file}`));
}

async function loadFile(language: Language, file: WordFile): Promise<Words | undefined> {
  return files[`../words/${language}/${file}.json`]?.();
}

/** Have these parts of the words at hand from now on, in whatever language is spoken. */
export async function requireWords(wordFiles: readonly WordFile[]): Promise<void> {
  requiredFiles = [...requiredFiles, ...wordFiles.filter((file) => !requiredFiles.includes(file))];
  await load(untrack(() => i18n.language));
}

/** Say everything in this language from now on. */
export async function setLanguage(language: Language): Promise<void> {
  await load(language);
  i18n.language = language;
  document.documentElement.lang = language;
}

/** Speak a language, and again at the next visit. */
export async function chooseLanguage(language: Language): Promise<void> {
  await setLanguage(language);
  saveLocal("language", language);
}

/**
 * The sentence of a key, with `{name}` replaced by the value of that name. `values.count` chooses the plural form.
 * `t("dice", { count: 2 })` is "2 dice".
 */
export function t(key: Key, values: Values = {}): string {
  const sentence = i18n.words[key] ?? key;
  const { count } = values;
  const text =
    typeof sentence === "string"
      ? sentence
      : (sentence[typeof count === "number" ? i18n.pluralRules.select(count) : "other"] ?? sentence.other);
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name];
    return typeof value === "number" ? value.toLocaleString(i18n.language) : (value ?? whole);
  });
}
