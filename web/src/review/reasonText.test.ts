/** The golden reasons, the same as in the package. */
import { expect, test } from "vitest";
import text from "../../../tests/golden/reason_cases.json?raw";
import type { Ruleset } from "../lib/ruleset";
import { LANGUAGES, setLanguage, type Language } from "../lib/i18n.svelte";
import type { DecisionReason } from "../lib/protocol";
import { reasonSentences } from "./reasonText";

interface Case {
  rules: string;
  language: Language;
  viewer: number | null;
  reason: DecisionReason;
  sentences: string[];
}
const golden = JSON.parse(text) as { names: string[]; rulesets: Record<string, Ruleset>; cases: Case[] };

test.each(Object.keys(LANGUAGES) as Language[])("the reasons in %s are the golden ones", async (language) => {
  await setLanguage(language);
  const cases = golden.cases.filter((each) => each.language === language);
  expect(cases.length).toBeGreaterThan(9);
  for (const { rules, viewer, reason, sentences } of cases) {
    const narrator = { rules: golden.rulesets[rules], names: golden.names, viewerSeat: viewer };
    expect(reasonSentences(reason, narrator)).toEqual(sentences);
  }
});
