/** The golden sentences: every event and call, in every language, the same as in the package. */
import { expect, test } from "vitest";
import text from "../../../tests/golden/sentence_cases.json?raw";
import { outcome } from "../reveal/callSummary";
import type { RecordedEvent } from "../replay/matchRecord";
import type { GameEvent, Ruleset, Verdict } from "./ruleset";
import { LANGUAGES, setLanguage, type Language } from "./i18n.svelte";
import { narrateEvent } from "./narration";

/** An event or a call. The page never gets `hand_dealt` and `roll_seen`; it shows a player's own dice as pictures. */
type Case = {
  id: string;
  rules: string;
  names: string[];
  viewer: number | null;
  texts: Record<Language, string>;
} & ({ event: GameEvent | RecordedEvent | Unseen } | { verdict: Verdict });

const golden = JSON.parse(text) as { rulesets: Record<string, Ruleset>; cases: Case[] };
interface Unseen {
  type: "hand_dealt" | "roll_seen";
}

function isUnseen(event: { type: string }): event is Unseen {
  return event.type === "hand_dealt" || event.type === "roll_seen";
}

const cases = golden.cases.filter((golden) => !("event" in golden && isUnseen(golden.event)));

function sentence(golden: Case, rules: Ruleset | undefined): string {
  const narrator = { rules, names: golden.names, viewerSeat: golden.viewer };
  if ("verdict" in golden) return outcome(golden.verdict, narrator);
  const { event } = golden;
  return isUnseen(event) ? "" : narrateEvent(event, narrator);
}

test.each(Object.keys(LANGUAGES) as Language[])("the sentences in %s are the golden ones", async (language) => {
  await setLanguage(language);
  expect(cases.length).toBeGreaterThan(100);
  expect(cases.map((golden) => [golden.id, sentence(golden, rulesOf(golden))])).toEqual(
    cases.map(({ id, texts }) => [id, texts[language]]),
  );
});

function rulesOf({ rules }: Case): Ruleset | undefined {
  return golden.rulesets[rules];
}
