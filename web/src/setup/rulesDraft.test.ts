import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { RulesForm, RulesSeen } from "../lib/protocol";
import { RULES } from "../testing/tableFrames";
import { RulesDraft, sentenceKey } from "./rulesDraft.svelte";

let asked: { form: RulesForm; answer: (seen: Partial<RulesSeen>) => Promise<void> }[] = [];

beforeEach(() => {
  vi.useFakeTimers();
  asked = [];
  vi.stubGlobal("fetch", (_: string, init: RequestInit) => {
    const form = JSON.parse(init.body as string) as RulesForm;
    return new Promise((done) => {
      const answer = async (seen: Partial<RulesSeen>): Promise<void> => {
        done(new Response(JSON.stringify({ ...rules(form), ...seen })));
        await vi.advanceTimersByTimeAsync(0);
      };
      asked.push({ form, answer });
    });
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function rules(form: RulesForm): RulesSeen {
  const { rules = "", changes = {} } = form;
  const sections = [{ key: "turn", title: "Turn", sentences: [{ key: "dice", text: "Five dice." }], chart: null }];
  return {
    rules,
    base_title: "",
    changes,
    title: "",
    address: "",
    seats: [2, 10],
    ruleset: RULES,
    sections,
    switches: [],
    problems: [],
    warnings: [],
  };
}

function saying(text: string): Partial<RulesSeen> {
  return { sections: [{ key: "turn", title: "Turn", sentences: [{ key: "dice", text }], chart: null }] };
}

test("several changes in a moment are one question", async () => {
  const draft = new RulesDraft("perudo");
  draft.set("dice.per_player", 6);
  draft.set("dice.per_player", 7);
  await vi.advanceTimersByTimeAsync(200);
  expect(asked.map(({ form }) => form.changes)).toEqual([{ "dice.per_player": 7 }]);
});

test("an answer that a later question has overtaken changes nothing", async () => {
  const draft = new RulesDraft("perudo");
  void draft.refresh();
  draft.choose("mustache");
  await vi.advanceTimersByTimeAsync(200);
  await asked[1]?.answer({ title: "new" });
  await asked[0]?.answer({ title: "old" });
  expect(draft.preview?.title).toBe("new");
  expect(draft.loading).toBe(false);
});

test("a sentence that says something new is fresh for a moment, and is read aloud", async () => {
  const draft = new RulesDraft("perudo");
  void draft.refresh();
  await asked[0]?.answer(saying("Five dice."));
  expect(draft.changedSentences).toEqual([]);
  draft.set("dice.per_player", 6);
  await vi.advanceTimersByTimeAsync(200);
  await asked[1]?.answer(saying("Six dice."));
  expect(draft.changedSentences).toEqual([sentenceKey("dice", "Six dice.")]);
  expect(draft.announcement).toBe("Six dice.");
  await vi.advanceTimersByTimeAsync(3000);
  expect(draft.changedSentences).toEqual([]);
});

test("choices that do not go together stay as they were made, and no table is opened with them", async () => {
  const draft = new RulesDraft("perudo", { "bidding.raise": "product" });
  void draft.refresh();
  await asked[0]?.answer({ changes: {}, problems: ["bids go round in a loop"] });
  expect(draft.changes).toEqual({ "bidding.raise": "product" });
  expect(draft.ready).toBe(false);
});

test("a rule that is set back takes along what was changed inside it", () => {
  const draft = new RulesDraft("classic", { exact_call: true, "exact_call.budget": 2, "dice.per_player": 6 });
  draft.unset("exact_call");
  expect(draft.changes).toEqual({ "dice.per_player": 6 });
  draft.stop();
});
