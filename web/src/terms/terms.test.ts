import { expect, test } from "vitest";
import { LANGUAGES, setLanguage, type Language } from "../lib/i18n.svelte";
import { MUSTACHE_ROUND, RULES, WITH_EXACT } from "../testing/tableFrames";
import type { Ruleset } from "../lib/ruleset";
import { explain, splitTerms, wordsOf } from "./terms";

const PERUDO: Ruleset = {
  ...RULES,
  ...WITH_EXACT,
  special_round: MUSTACHE_ROUND,
  challenge: { ...RULES.challenge, who: "anyone_but_bidder" },
  labels: {
    game: "Perudo",
    challenge: "Dudo!",
    exact: "Calza!",
    special_round: "Palifico!",
    special_face: "pacos",
  },
};

/** The words of a text that have an explanation, with what they stand for. */
function found(text: string, rules = PERUDO): (string | null)[][] {
  return splitTerms(text, rules)
    .filter(({ term }) => term !== null)
    .map(({ text, term }) => [text, term]);
}

test("the words of a table are found wherever they occur, and the text stays whole", () => {
  const text = "Jun calls out of turn: “Dudo!” In a Palifico round, pacos are not wild; a paco counts as one.";
  expect(found(text)).toEqual([
    ["out of turn", "out_of_turn"],
    ["Dudo!", "challenge"],
    ["Palifico", "special_round"],
    ["pacos", "special_face"],
    ["wild", "wild"],
    ["paco", "special_face"],
  ]);
  expect(
    splitTerms(text, PERUDO)
      .map((part) => part.text)
      .join(""),
  ).toBe(text);
});

test("parts of longer words, and words that the rules do not have, stay as they are", () => {
  expect(found("Liar's Dice, wilderness, exactly three")).toEqual([]);
  expect(found("“Calza!”, aces", RULES)).toEqual([]);
});

test("every word of the table has one sentence in each language", async () => {
  for (const language of Object.keys(LANGUAGES) as Language[]) {
    await setLanguage(language);
    const sentences = wordsOf(PERUDO).map(([term, [word = ""]]) => explain(term, word, PERUDO));
    expect(sentences).toHaveLength(6);
    for (const sentence of sentences) expect(sentence).toMatch(/^[^.]+\.$/);
  }
});

test("the words are found in Spanish, too", async () => {
  await setLanguage("es");
  expect(found("Jun dice fuera de turno: «¡Dudo!» Los pacos son comodines.").map(([, term]) => term)).toEqual([
    "out_of_turn",
    "challenge",
    "special_face",
    "wild",
  ]);
});
