import { expect, test } from "vitest";
import signedText from "../replay/signed.fixture.jsonl?raw";
import text from "../replay/match.fixture.jsonl?raw";
import { finalPlaces, parseRecord } from "../replay/matchRecord";
import { buildTimeline } from "../replay/playback.svelte";
import { summarizeMatch, type KeptMatch } from "./matchSummary.svelte";
import { isFinishedRecord, type FinishedRecord } from "./matchStore";
import { bestMoments, byRules, headToHead, isWon, ownResults, totals } from "./statistics";

function finished(recordText: string): FinishedRecord {
  const record = parseRecord(recordText);
  if (!isFinishedRecord(record)) throw new Error("the fixture is not finished");
  return record;
}

function kept(recordText: string, seat: number): KeptMatch {
  const bots = [null, null, "regular"];
  return summarizeMatch(finished(recordText), {
    seat,
    title: "The Wet Boot",
    rulesName: "",
    rulesBase: "",
    bots,
    playedAt: 1,
  });
}

test("winners come first, then the others by when they went out", () => {
  expect(kept(text, 0).places).toEqual([1, 3, 2]);
  expect(kept(text, 0).rounds).toBe(3);
});

test("the lives that a player received count for the place at the last round", () => {
  const record = finished(text);
  const loss = { type: "lives_lost" as const, lives: 1, cause: "bid_false" as const };
  const events = [
    { ...record.start, ruleset: { ...record.start.ruleset, loss: { ...record.start.ruleset.loss, lives: 3 } } },
    { ...loss, seat: 2, lives: 2, left: 1, to: null },
    { ...loss, seat: 1, left: 2, to: 2 },
    { ...loss, seat: 0, left: 2, to: 2 },
    { type: "match_ended" as const, winners: [0], reason: "max_rounds" as const },
  ];
  const [start] = events;
  expect(finalPlaces({ ...record, start, events } as FinishedRecord)).toEqual([1, 3, 2]);
});

test("two who go out at once share a place", () => {
  const record = finished(text);
  const [start] = record.events;
  const events = [
    start,
    { type: "round_started" as const, number: 1 },
    { type: "eliminated" as const, seat: 2 },
    { type: "eliminated" as const, seat: 1 },
    { type: "match_ended" as const, winners: [0], reason: "last_player" as const },
  ];
  expect(finalPlaces({ ...record, events } as FinishedRecord)).toEqual([1, 2, 2]);
});

test("what a bot wins in the place of a player is nobody's result", () => {
  const left = finished(text.replace('"engine"', '"stand_ins":[0],"engine"'));
  const context = { title: "", rulesName: "", rulesBase: "", bots: [null, null, null], playedAt: 1 };
  const [own, other] = [0, 1].map((seat) => summarizeMatch(left, { ...context, seat }));
  expect(own && [own.places[0], isWon(own), ownResults([own])]).toEqual([1, false, []]);
  const [name = ""] = left.start.names;
  expect(other && headToHead([other])).toContainEqual({ name, bot: true, id: 1, matches: 1, ahead: 0, behind: 1 });
  expect(buildTimeline(left).at(-1)?.text).toContain(`${name} (bot)`);
});

test("calls are counted for the player who made them", () => {
  expect([0, 1, 2].map((seat) => [kept(text, seat).calls, kept(text, seat).rightCalls])).toEqual([
    [2, 2],
    [1, 0],
    [0, 0],
  ]);
});

test("the best doubt is the one that was wrong by least, and leads to its step of the replay", () => {
  const { moments } = kept(text, 0);
  const doubt = moments.find(({ kind }) => kind === "doubt");
  expect(doubt).toMatchObject({ round: 2, bid: [3, 2], count: 2 });
  const steps = buildTimeline(parseRecord(text));
  expect(steps[doubt?.step ?? 0]?.kind).toBe("revealed");
  expect(steps[doubt?.step ?? 0]?.snapshot.round).toBe(2);
});

test("every moment of a match is one of its steps", () => {
  const steps = buildTimeline(parseRecord(signedText));
  const moments = [0, 1, 2].flatMap((seat) => kept(signedText, seat).moments);
  expect(moments.length).toBeGreaterThan(1);
  for (const { step, round } of moments) expect(steps[step]?.snapshot.round).toBe(round);
});

test("bold bids, equal rolls and comebacks are found", () => {
  const record = finished(text);
  const hands = [
    [4, 4, 4],
    [4, 2, 4],
    [2, 2, 2],
  ];
  const bid = { type: "bid" as const, quantity: 5, face: 4 };
  const round = (number: number, dice: number[]): FinishedRecord["events"] => [
    { type: "round_started", number, starter: 2, dice, direction: "clockwise", special_seat: null },
    { type: "dealt", hands },
    { type: "bid_made", seat: 2, bid },
    { type: "challenged", seat: 0, bidder: 2, bid, out_of_turn: false },
    {
      type: "revealed",
      bid,
      hands,
      marked: [[], [], []],
      counted: [3, 2, 0],
      count: 5,
      bid_true: true,
      wilds_counted: false,
    },
  ];
  const events = [
    record.start,
    ...round(1, [3, 3, 1]),
    ...round(2, [3, 3, 1]),
    { type: "match_ended" as const, winners: [2], reason: "last_player" as const },
  ];
  const context = { seat: 2, title: "", rulesName: "", rulesBase: "", bots: [null, null, null], playedAt: 1 };
  const { moments } = summarizeMatch({ ...record, events }, context);
  expect(moments).toMatchObject([
    { kind: "roll", dice: [2, 2, 2], round: 1 },
    { kind: "bold", bid: [5, 4], held: 0, round: 1 },
    { kind: "comeback", rounds: 2 },
  ]);
});

test("wins are shared out by rules and by opponents", () => {
  const matches = [kept(text, 0), { ...kept(text, 1), rulesName: "perudo" }];
  expect(totals(matches)).toEqual({ matches: 2, wins: 1, calls: 3, rightCalls: 2 });
  const { game } = parseRecord(text).start.ruleset.labels;
  expect(byRules(matches)).toEqual([
    { game, house: true, matches: 1, wins: 1 },
    { game, house: false, matches: 1, wins: 0 },
  ]);
  const [, second = "", third = ""] = parseRecord(text).start.names;
  expect(headToHead([kept(text, 0), { ...kept(text, 0), names: ["I", second.toUpperCase(), third] }])).toEqual([
    { name: second, bot: false, id: 2, matches: 2, ahead: 2, behind: 0 },
    { name: third, bot: true, id: 3, matches: 2, ahead: 2, behind: 0 },
  ]);
  expect(bestMoments(matches).map(({ moment }) => moment.kind)).toContain("doubt");
});
