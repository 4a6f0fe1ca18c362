import { beforeEach, expect, test } from "vitest";
import text from "./match.fixture.jsonl?raw";
import { parseRecord } from "./matchRecord";
import { roundStarts, buildTimeline, type TimelineStep } from "./playback.svelte";

let steps: TimelineStep[] = [];

beforeEach(() => {
  steps = buildTimeline(parseRecord(text));
});

test("a timeline goes from the players to the winner through all rounds", () => {
  expect(steps[0]?.text).toContain("Ines");
  expect(roundStarts(steps).map(({ number }) => number)).toEqual([1, 2, 3]);
  expect(steps.at(-1)?.snapshot.winners).toHaveLength(1);
  expect(steps.every((step) => step.text !== "")).toBe(true);
});

test("hands are as dealt, less the dice that a penalty took at once", () => {
  const dealt = steps.find(({ kind }) => kind === "dealt")?.snapshot;
  expect(dealt?.hands.map((hand) => hand.length)).toEqual([2, 2, 2]);
  const after = steps.find(({ kind }) => kind === "penalised")?.snapshot;
  expect(after?.hands.map((hand) => hand.length)).toEqual([2, 1, 2]);
});

test("what a player gives away is what another one has more", () => {
  const { start, ...record } = parseRecord(text);
  const ruleset = { ...start.ruleset, loss: { ...start.ruleset.loss, lives: 3 } };
  const change = { seat: 0, left: 1, cause: "bid_false" as const, to: 2 };
  const shown = buildTimeline({
    ...record,
    start: { ...start, ruleset },
    events: [start, { type: "dice_lost", dice: 1, ...change }, { type: "lives_lost", lives: 2, ...change }],
  });
  expect(shown.at(-1)?.snapshot).toMatchObject({ dice: [1, 2, 3], lives: [1, 3, 5] });
});

test("the dice of a player who loses the last life during a round leave the table", () => {
  const record = parseRecord(text);
  const dealt = record.events.findIndex(({ type }) => type === "dealt");
  const events = [...record.events.slice(0, dealt + 1), { type: "eliminated" as const, seat: 1 }];
  const last = buildTimeline({ ...record, events }).at(-1)?.snapshot;
  expect(last?.hands.map((hand) => hand.length)).toEqual([2, 0, 2]);
  expect(last?.dice).toEqual([2, 0, 2]);
});

test("the latest bid stands until the reveal, and a new round begins without one", () => {
  const revealed = steps.find(({ kind }) => kind === "revealed")?.snapshot;
  expect(revealed?.standingBid?.bid).toEqual([revealed?.reveal?.bid.quantity, revealed?.reveal?.bid.face]);
  const second = steps[roundStarts(steps)[1]?.step ?? 0]?.snapshot;
  expect(second?.standingBid).toBeNull();
  expect(second?.reveal).toBeNull();
});

test("a deal says who does not look at the own dice", () => {
  const record = parseRecord(text);
  const events = record.events.map((event) => (event.type === "dealt" ? { ...event, blind: [0] } : event));
  const dealt = buildTimeline({ ...record, events }).find(({ kind }) => kind === "dealt");
  expect(dealt?.text).toBe(`Everyone rolls. ${record.start.names[0] ?? ""} does not look at their own dice.`);
});
