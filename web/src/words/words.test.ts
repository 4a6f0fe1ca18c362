import { expect, test } from "vitest";
import { LANGUAGES } from "../lib/i18n.svelte";

type Sentence = string | Record<string, string>;

const files = import.meta.glob<Record<string, Sentence>>("./*/*.json", { eager: true, import: "default" });
const others = Object.keys(LANGUAGES).filter((language) => language !== "en");
const parts = partsOf("en");

function partsOf(language: string): string[] {
  return Object.keys(files).flatMap((path) =>
    path.startsWith(`./${language}/`) ? [path.split("/").at(-1) ?? ""] : [],
  );
}

function words(language: string, part: string): Record<string, Sentence> {
  return files[`./${language}/${part}`] ?? {};
}

function placeholders(text: string): string[] {
  return [...new Set(text.match(/\{\w+\}/g))].sort();
}

/** The placeholders of the form that must have them all; a form for one thing may say "one" and not {count}. */
function wanted(sentence: Sentence): string[] {
  return placeholders(typeof sentence === "string" ? sentence : (sentence.other ?? ""));
}

test("every language there is has its folder, and no other", () => {
  const folders = Object.keys(files).map((path) => path.split("/")[1]);
  expect(new Set(folders)).toEqual(new Set(Object.keys(LANGUAGES)));
});

test("no two files say the same key", () => {
  const keys = parts.flatMap((part) => Object.keys(words("en", part)));
  expect(keys.filter((key, at) => keys.indexOf(key) !== at)).toEqual([]);
});

test.each(others)("%s has the files that English has, and no other", (language) => {
  expect(partsOf(language).sort()).toEqual([...parts].sort());
});

test.each(others)("%s says everything that English says, and nothing else", (language) => {
  for (const part of parts) {
    expect(Object.keys(words(language, part)).sort(), part).toEqual(Object.keys(words("en", part)).sort());
  }
});

test.each(others)("%s names the same values in each sentence as English", (language) => {
  for (const part of parts) {
    for (const [key, sentence] of Object.entries(words("en", part))) {
      expect([key, wanted(words(language, part)[key] ?? "")]).toEqual([key, wanted(sentence)]);
    }
  }
});

test.each(Object.keys(LANGUAGES))(
  "%s has the forms that its numbers need, and no form names a value of its own",
  (language) => {
    const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions();
    for (const [key, sentence] of parts.flatMap((part) => Object.entries(words(language, part)))) {
      if (typeof sentence === "string") continue;
      expect(pluralCategories, key).toEqual(expect.arrayContaining(Object.keys(sentence)));
      expect(Object.keys(sentence), key).toEqual(expect.arrayContaining(["one", "other"]));
      for (const form of Object.values(sentence)) {
        expect(wanted(sentence), key).toEqual(expect.arrayContaining(placeholders(form)));
      }
    }
  },
);
