/**
 * Translations. `words/` has a folder for each language, and so have the sentences about matches, which are those of the
 * package. The page loads the files of a folder when it needs them.
 */
import { untrack } from "svelte";
import type { Key, WordFile } from "../words/wordFiles";
import { loadLocal, saveLocal } from "./storage";

export type { Key, WordFile };
/** One text, or its plural forms by the categories of `Intl.PluralRules`, and `zero` where none is said otherwise. */
type Sentence = string | (Partial<Record<Intl.LDMLPluralRule, string>> & { other: string });
type Words = Partial<Record<Key, Sentence>>;
/** Values for the `{placeholders}` of a text. */
export type Values = Record<string, string | number>;

/** Languages by tag, with their own names. */
export const LANGUAGES = { en: "English", es: "Español" } as const;
export type Language = keyof typeof LANGUAGES;

const paths = import.meta.glob<Words>(
  ["../words/*/*.json", "../../../src/liarsdice/core/text/sentences/*/{coach,narration,reasons}.json"],
  { import: "default" },
);
/** Loaders of the words files by `language/file`. */
export const files = Object.fromEntries(
  Object.entries(paths).map(([path, load]) => [path.split("/").slice(-2).join("/").replace(".json", ""), load]),
);

class I18n {
  language = $state<Language>("en");
  loaded = $state.raw<Partial<Record<Language, Words>>>({});
  words = $derived(this.loaded[this.language] ?? {});
  pluralRules = $derived(new Intl.PluralRules(this.language));
}

/** The current language and its loaded texts. */
export const i18n = new I18n();

/** The saved language, or the first supported one of the browser, or English. */
export function preferredLanguage(): Language {
  const tags = [loadLocal("language") ?? "", ...navigator.languages].map((tag) => tag.toLowerCase().split("-")[0]);
  return tags.find((tag): tag is Language => tag !== undefined && Object.hasOwn(LANGUAGES, tag)) ?? "en";
}

let requiredFiles: readonly WordFile[] = ["common"];
let loadedFiles: readonly string[] = [];

/** Loads the required files of a language that are not loaded yet. */
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
  return files[`${language}/${file}`]?.();
}

/** Loads these files now, and again whenever the language changes. */
export async function requireWords(wordFiles: readonly WordFile[]): Promise<void> {
  requiredFiles = [...requiredFiles, ...wordFiles.filter((file) => !requiredFiles.includes(file))];
  await load(untrack(() => i18n.language));
}

/** Switches the page to a language. */
export async function setLanguage(language: Language): Promise<void> {
  await load(language);
  i18n.language = language;
  document.documentElement.lang = language;
}

/** Switches the page to a language and saves the choice. */
export async function chooseLanguage(language: Language): Promise<void> {
  await setLanguage(language);
  saveLocal("language", language);
}

/**
 * The text of a key with its placeholders filled in. `values.count` selects the plural form.
 * `t("die", { face: 2 })` is "a die showing 2". An unknown placeholder stays as it is.
 */
export function t(key: Key, values: Values = {}): string {
  const sentence = i18n.words[key] ?? key;
  const { count } = values;
  const text =
    typeof sentence === "string"
      ? sentence
      : ((count === 0 ? sentence.zero : undefined) ??
        sentence[typeof count === "number" ? i18n.pluralRules.select(count) : "other"] ??
        sentence.other);
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name];
    return typeof value === "number"
      ? value.toLocaleString(i18n.language)
      : value === undefined
        ? whole
        : isolate(value);
  });
}

/** Begins and ends a text that has a direction of its own. The compiler warns of these signs in sources. */
const [FIRST_STRONG_ISOLATE, POP_ISOLATE] = [String.fromCharCode(0x2068), String.fromCharCode(0x2069)];

/** A text for the middle of a sentence. What is written from right to left stays whole there, whatever is beside it. */
export function isolate(text: string): string {
  return /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/.test(text) ? `${FIRST_STRONG_ISOLATE}${text}${POP_ISOLATE}` : text;
}

/** The characters of a text as people count them: a letter with its marks is one, and so is a joined emoji. */
export function characters(text: string): string[] {
  if (!("Segmenter" in Intl)) return Array.from(text);
  return Array.from(new Intl.Segmenter(i18n.language).segment(text), ({ segment }) => segment);
}

/** The first characters of a text, at most so many; `end` replaces the last one where more were left out. */
export function shorten(text: string, most: number, end = ""): string {
  const parts = characters(text);
  return parts.length > most
    ? parts
        .slice(0, most - end.length)
        .join("")
        .trimEnd() + end
    : text;
}

/**
 * A loader of a module and the words files that it uses. It returns the module itself once that is loaded, so that what
 * is shown again is there at once: for a promise, the page would show a gap.
 */
export function withWords<T>(load: () => Promise<T>, ...wordFiles: WordFile[]): () => Promise<T> | T {
  let loaded: T | undefined;
  return () => loaded ?? Promise.all([load(), requireWords(wordFiles)]).then(([module]) => (loaded = module));
}
