import { beforeEach, expect, test } from "vitest";
import text from "./match.fixture.jsonl?raw";
import { parseRecord } from "./matchRecord";
import { roundStarts, buildTimeline, type TimelineStep } from "./timeline";

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

test("the latest bid stands until the reveal, and a new round begins without one", () => {
  const revealed = steps.find(({ kind }) => kind === "revealed")?.snapshot;
  expect(revealed?.standingBid?.bid).toEqual([revealed?.reveal?.bid.quantity, revealed?.reveal?.bid.face]);
  const second = steps[roundStarts(steps)[1]?.step ?? 0]?.snapshot;
  expect(second?.standingBid).toBeNull();
  expect(second?.reveal).toBeNull();
});
