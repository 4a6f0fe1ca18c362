import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ApiError } from "../lib/http";
import type { HabitsForm, ReviewedMatch, ReviewLine } from "../lib/protocol";
import { HabitSearch } from "./habitSearch.svelte";

const store = vi.hoisted(() => ({ ids: ["a", "b"], known: new Map<string, unknown>() }));
const server = vi.hoisted(() => ({ lines: [] as unknown[], refusals: [] as unknown[], asked: [] as unknown[] }));

vi.mock("../history/matchStore", () => ({
  keptMatches: () => Promise.resolve(store.ids.map((id) => ({ id, seat: 1, standIns: [], ruleset: {} }))),
  recordOf: (id: string) => Promise.resolve(`record ${id}`),
  reviewedMatches: () => Promise.resolve(new Map(store.known)),
  keepReviewed: (id: string, match: unknown) => Promise.resolve(store.known.set(id, match)),
}));
vi.mock("../review/reviewService", () => ({
  // eslint-disable-next-line @typescript-eslint/require-await
  requestReview: async function* (record: string) {
    server.asked.push(record);
    const refusal = server.refusals.shift();
    if (refusal) throw refusal as Error;
    yield* server.lines;
  },
}));

const seen = { match: 0, kind: "opening", band: 0, did: 0.3, usual: 0.2, cost: 0.02 } as const;
const finished: ReviewLine = { type: "finished", players: [] };
const parts = [
  { seat: 0, result: 0, luck: -0.2 },
  { seat: 1, result: 1, luck: 0.2 },
];
const account = { type: "account", account: { parts } } as unknown as ReviewLine;
let forms: HabitsForm[] = [];

function decision(seat: number, cost: number): ReviewLine {
  return { type: "decision", review: { seat, cost }, observations: [seen] } as unknown as ReviewLine;
}

beforeEach(() => {
  Object.assign(store, { ids: ["a", "b"], known: new Map() });
  Object.assign(server, { lines: [account, decision(0, 0.5), decision(1, 0.02), finished], refusals: [], asked: [] });
  forms = [];
  vi.stubGlobal("fetch", (_: string, init: RequestInit) => {
    forms.push(JSON.parse(init.body as string) as HabitsForm);
    return Promise.resolve(new Response(JSON.stringify({ matches: forms.at(-1)?.matches.length, habits: [] })));
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const own: ReviewedMatch = { gain: 1 - 0.2 - 1 / 2, costs: [0.02], observations: [seen] };

test("each match is reviewed once, and the habits come from the player’s own decisions", async () => {
  store.known.set("a", own);
  const search = new HabitSearch();
  await search.run(new AbortController().signal);
  expect(server.asked).toEqual(["record b"]);
  expect(store.known.get("b")).toEqual(own);
  expect(forms.at(-1)).toEqual({ matches: [own, own] });
  expect([search.done, search.total, search.report?.matches]).toEqual([2, 2, 2]);
});

test("a match that cannot be reviewed is left out and not asked about again", async () => {
  server.refusals = [new ApiError("unavailable", "")];
  const search = new HabitSearch();
  await search.run(new AbortController().signal);
  expect(store.known.get("a")).toEqual({ gain: 0, costs: [], observations: [] });
  expect(forms.at(-1)).toEqual({ matches: [own] });
});

test("a server without time is asked again later, and one that is away ends the search", async () => {
  vi.useFakeTimers();
  server.refusals = [new ApiError("too_fast", "")];
  const search = new HabitSearch();
  const run = search.run(new AbortController().signal);
  await vi.waitFor(() => {
    expect(search.waiting).toBe(true);
  });
  await vi.runAllTimersAsync();
  await run;
  expect(server.asked).toEqual(["record a", "record a", "record b"]);
  store.known.clear();
  server.refusals = [new ApiError("offline", "")];
  await expect(new HabitSearch().run(new AbortController().signal)).rejects.toThrow(ApiError);
});
