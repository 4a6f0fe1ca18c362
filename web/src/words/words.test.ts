import { expect, test } from "vitest";
import { LANGUAGES } from "../lib/i18n.svelte";

type Sentence = string | Record<string, string>;

const files = import.meta.glob<Record<string, Sentence>>("./*/*.json", { eager: true, import: "default" });
const others = Object.keys(LANGUAGES).filter((language) => language !== "en");
const fileNames = filesOf("en");

function filesOf(language: string): string[] {
  return Object.keys(files).flatMap((path) =>
    path.startsWith(`./${language}/`) ? [path.split("/").at(-1) ?? ""] : [],
  );
}

function words(language: string, file: string): Record<string, Sentence> {
  return files[`./${language}/${file}`] ?? {};
}

function placeholders(text: string): string[] {
  return [...new Set(text.match(/\{\w+\}/g))].sort();
}

/** The placeholders of a text. The singular form may lack some: it may say "one" in place of {count}. */
function requiredPlaceholders(sentence: Sentence): string[] {
  return placeholders(typeof sentence === "string" ? sentence : (sentence.other ?? ""));
}

test("every language has a folder, and there is no other", () => {
  const folders = Object.keys(files).map((path) => path.split("/")[1]);
  expect(new Set(folders)).toEqual(new Set(Object.keys(LANGUAGES)));
});

test("no key is in two files", () => {
  const keys = fileNames.flatMap((file) => Object.keys(words("en", file)));
  expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([]);
});

test.each(others)("%s has the files that English has, and no other", (language) => {
  expect(filesOf(language).sort()).toEqual([...fileNames].sort());
});

test.each(others)("%s has the keys of English, and no others", (language) => {
  for (const file of fileNames) {
    expect(Object.keys(words(language, file)).sort(), file).toEqual(Object.keys(words("en", file)).sort());
  }
});

test.each(others)("%s has the placeholders of English in each text", (language) => {
  for (const file of fileNames) {
    for (const [key, sentence] of Object.entries(words("en", file))) {
      expect([key, requiredPlaceholders(words(language, file)[key] ?? "")]).toEqual([
        key,
        requiredPlaceholders(sentence),
      ]);
    }
  }
});

test.each(Object.keys(LANGUAGES))(
  "%s has the plural forms that it needs, and no form has a placeholder of its own",
  (language) => {
    const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions();
    for (const [key, sentence] of fileNames.flatMap((file) => Object.entries(words(language, file)))) {
      if (typeof sentence === "string") continue;
      expect(pluralCategories, key).toEqual(expect.arrayContaining(Object.keys(sentence)));
      expect(Object.keys(sentence), key).toEqual(expect.arrayContaining(["one", "other"]));
      for (const form of Object.values(sentence)) {
        expect(requiredPlaceholders(sentence), key).toEqual(expect.arrayContaining(placeholders(form)));
      }
    }
  },
);
