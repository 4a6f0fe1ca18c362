import { expect, test } from "vitest";
import type { DecisionFacts, MatchFacts, ResultAccount } from "../lib/protocol";
import {
  formatGain,
  gainStep,
  linePoints,
  MARKER_PX,
  markerPlaces,
  turnDecision,
  turnText,
  turningPoints,
  type TurningPoint,
} from "./report";
import { decisionFacts } from "../testing/tableFrames";

function decision(number: number, seat: number, move: DecisionFacts["move"]): DecisionFacts {
  const bid = number > 0 ? ({ type: "bid", quantity: 2, face: 4 } as const) : null;
  return decisionFacts({ number, seat, bid, bidder: bid && 0, move });
}

/** Ann bids, Cy lets it stand, and Bo calls: Ann’s share goes from a third over 0.5 and 0.4 to nothing. */
const match = {
  names: ["Ann", "Bo", "Cy"],
  rounds: [{ number: 1, count: 1 }],
  decisions: [
    decision(0, 0, { type: "bid", quantity: 2, face: 4 }),
    decision(1, 2, null),
    decision(2, 1, { type: "challenge" }),
  ],
} as unknown as MatchFacts;
const account = {
  win_line: [
    { cause: "start", round_number: 0, seat: null, shares: [0.33] },
    { cause: "roll", round_number: 1, seat: null, shares: [0.5] },
    { cause: "move", round_number: 1, seat: 0, shares: [0.4] },
    { cause: "move", round_number: 1, seat: 1, shares: [0] },
  ],
  turning_points: [[1, 3], [], []],
} as unknown as ResultAccount;
const narrator = { rules: undefined, names: match.names, viewerSeat: 0 };

test("rolls stand between the decisions, and moves behind the decision that made them", () => {
  const points = linePoints(account, match, 0);
  expect(points.map(({ at }) => at)).toEqual([0, 0, 1, 3]);
  expect(points.map(({ share }) => share)).toEqual([0.33, 0.5, 0.4, 0]);
  expect(points.map((point) => point.decision?.number ?? null)).toEqual([null, null, 0, 2]);
});

test("a turning point says what happened, and leads to its decision or the first one after a roll", () => {
  const turns = turningPoints(account, linePoints(account, match, 0), 0);
  expect(turns.map(({ number, before, share }) => [number, before, share])).toEqual([
    [1, 0.33, 0.5],
    [2, 0.4, 0],
  ]);
  expect(turns.map(({ from, at }) => [from, at])).toEqual([
    [0, 0],
    [1, 3],
  ]);
  expect(turns.map((turn) => turnDecision(turn, match))).toEqual([0, 2]);
  expect(turns.map((turn) => turnText(narrator, match, turn))).toEqual([
    "The roll",
    "Bo called “Liar!” on your two fours: 1 counted",
  ]);
  expect(turningPoints(account, [], 1)).toEqual([]);
});

test("a marker stands in the middle of its change, and covers none before it on a narrow plot", () => {
  const turn = (from: number, at: number, before: number, share: number) =>
    ({ from, at, before, share }) as unknown as TurningPoint;
  const turns = [turn(0, 0, 0.3, 0.5), turn(10, 11, 0.5, 0.7), turn(11, 11, 0.7, 0.46), turn(11, 12, 0.4, 0.8)];
  const wide = markerPlaces(turns, 40, { width: 4000, height: 100 });
  expect(wide.map(({ left, top }) => [left, Math.round(top)])).toEqual([
    [0, 60],
    [1050, 40],
    [1100, 42],
    [1150, 40],
  ]);
  const narrow = markerPlaces(turns, 40, { width: 320, height: 140 });
  narrow.forEach((place, number) => {
    expect(place.top).toBeGreaterThanOrEqual(0);
    expect(place.top).toBeLessThanOrEqual(140);
    for (const other of narrow.slice(0, number)) {
      const apart = Math.max(Math.abs(place.left - other.left), Math.abs(place.top - other.top));
      expect(apart).toBeGreaterThanOrEqual(MARKER_PX);
    }
  });
});

test("what moves gave is told in coarse steps, and as points with a sign when it is asked for", () => {
  expect([-0.3, -0.1, -0.04, 0.1, 0.2].map(gainStep)).toEqual(["large_loss", "loss", "even", "gain", "large_gain"]);
  expect([0.437, -0.06, 0.001].map(formatGain)).toEqual(["+44", "−6", "0"]);
});
