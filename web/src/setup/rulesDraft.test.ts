import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { RulesForm, RulesResponse } from "../lib/protocol";
import { RULES } from "../testing/tableFrames";
import { RulesDraft, sentenceKey } from "./rulesDraft.svelte";

let requests: { form: RulesForm; answer: (preview: Partial<RulesResponse>) => Promise<void> }[] = [];

beforeEach(() => {
  vi.useFakeTimers();
  requests = [];
  vi.stubGlobal("fetch", (_: string, init: RequestInit) => {
    const form = JSON.parse(init.body as string) as RulesForm;
    return new Promise((resolve) => {
      const answer = async (preview: Partial<RulesResponse>): Promise<void> => {
        resolve(new Response(JSON.stringify({ ...rules(form), ...preview })));
        await vi.advanceTimersByTimeAsync(0);
      };
      requests.push({ form, answer });
    });
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function rules(form: RulesForm): RulesResponse {
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
    fields: [],
    problems: [],
    warnings: [],
  };
}

function withSentence(text: string): Partial<RulesResponse> {
  return { sections: [{ key: "turn", title: "Turn", sentences: [{ key: "dice", text }], chart: null }] };
}

test("several quick changes make one request", async () => {
  const draft = new RulesDraft("perudo");
  draft.set("dice.per_player", 6);
  draft.set("dice.per_player", 7);
  await vi.advanceTimersByTimeAsync(200);
  expect(requests.map(({ form }) => form.changes)).toEqual([{ "dice.per_player": 7 }]);
});

test("an answer to an outdated request is ignored", async () => {
  const draft = new RulesDraft("perudo");
  void draft.refresh();
  draft.choose("mustache");
  await vi.advanceTimersByTimeAsync(200);
  await requests[1]?.answer({ title: "new" });
  await requests[0]?.answer({ title: "old" });
  expect(draft.preview?.title).toBe("new");
  expect(draft.loading).toBe(false);
});

test("a change made while an answer is on its way is kept", async () => {
  const draft = new RulesDraft("perudo");
  draft.set("dice.per_player", 6);
  await vi.advanceTimersByTimeAsync(200);
  draft.set("dice.per_player", 7);
  await requests[0]?.answer({});
  expect(draft.changes).toEqual({ "dice.per_player": 7 });
  expect(draft.loading).toBe(true);
  await vi.advanceTimersByTimeAsync(200);
  expect(requests[1]?.form.changes).toEqual({ "dice.per_player": 7 });
});

test("a changed sentence is highlighted for a moment and announced", async () => {
  const draft = new RulesDraft("perudo");
  void draft.refresh();
  await requests[0]?.answer(withSentence("Five dice."));
  expect(draft.changedSentences).toEqual([]);
  draft.set("dice.per_player", 6);
  await vi.advanceTimersByTimeAsync(200);
  await requests[1]?.answer(withSentence("Six dice."));
  expect(draft.changedSentences).toEqual([sentenceKey("dice", "Six dice.")]);
  expect(draft.announcement).toBe("Six dice.");
  await vi.advanceTimersByTimeAsync(3000);
  expect(draft.changedSentences).toEqual([]);
});

test("conflicting rules stay as chosen, and no table can be opened with them", async () => {
  const draft = new RulesDraft("perudo", { "bidding.raise": "product" });
  void draft.refresh();
  await requests[0]?.answer({ changes: {}, problems: ["bids go round in a loop"] });
  expect(draft.changes).toEqual({ "bidding.raise": "product" });
  expect(draft.ready).toBe(false);
});

test("resetting a rule resets the rules inside it", () => {
  const draft = new RulesDraft("classic", { exact_call: true, "exact_call.budget": 2, "dice.per_player": 6 });
  draft.unset("exact_call");
  expect(draft.changes).toEqual({ "dice.per_player": 6 });
  draft.stop();
});
