import { expect, test } from "vitest";
import { LANGUAGES } from "../lib/i18n.svelte";
import en from "./en.json";

type Sentence = string | Record<string, string>;

const files = import.meta.glob<Record<string, Sentence>>("./*.json", { eager: true, import: "default" });
const others = Object.keys(LANGUAGES).filter((language) => language !== "en");
const english: Record<string, Sentence> = en;

function words(language: string): Record<string, Sentence> {
  return files[`./${language}.json`] ?? {};
}

function placeholders(text: string): string[] {
  return [...new Set(text.match(/\{\w+\}/g))].sort();
}

/** The placeholders of the form that must have them all; a form for one thing may say "one" and not {count}. */
function wanted(sentence: Sentence): string[] {
  return placeholders(typeof sentence === "string" ? sentence : (sentence.other ?? ""));
}

test("every language there is has its file, and no other", () => {
  expect(Object.keys(files).sort()).toEqual(
    Object.keys(LANGUAGES)
      .map((language) => `./${language}.json`)
      .sort(),
  );
});

test.each(others)("%s says everything that English says, and nothing else", (language) => {
  expect(Object.keys(words(language)).sort()).toEqual(Object.keys(english).sort());
});

test.each(others)("%s names the same values in each sentence as English", (language) => {
  for (const [key, sentence] of Object.entries(english)) {
    expect([key, wanted(words(language)[key] ?? "")]).toEqual([key, wanted(sentence)]);
  }
});

test.each(Object.keys(LANGUAGES))(
  "%s has the forms that its numbers need, and no form names a value of its own",
  (language) => {
    const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions();
    for (const [key, sentence] of Object.entries(words(language))) {
      if (typeof sentence === "string") continue;
      expect(pluralCategories, key).toEqual(expect.arrayContaining(Object.keys(sentence)));
      expect(Object.keys(sentence), key).toEqual(expect.arrayContaining(["one", "other"]));
      for (const form of Object.values(sentence)) {
        expect(wanted(sentence), key).toEqual(expect.arrayContaining(placeholders(form)));
      }
    }
  },
);
