import { render, screen } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi, describe } from "vitest";
import placeCases from "../../../tests/golden/place_cases.jsonl?raw";
import matchText from "../replay/match.fixture.jsonl?raw";
import signedText from "../replay/signed.fixture.jsonl?raw";
import { parseRecord, finalPlaces } from "../replay/matchRecord";
import HistoryActions from "./HistoryActions.svelte";
import { MatchDeletion } from "./matchList.svelte";
import { summarizeMatch, type KeptMatch } from "./matchSummary";
import { isFinishedRecord, type FinishedRecord } from "./matchStore";
import { type RecordedMatch, readHistoryFile, writeHistoryFile } from "./historyFile";
import { t, type Key } from "../lib/i18n.svelte";
import { buildTimeline } from "../replay/playback.svelte";
import { bestMoments, byRules, headToHead, isWon, ownResults, totals } from "./statistics";

const { kept } = vi.hoisted(() => ({ kept: new Map<string, unknown>() }));
vi.mock("./matchStore", async (original) => ({
  ...(await original<object>()),
  deleteMatches: (ids: string[]) => {
    const deleted = ids.map((id) => kept.get(id));
    for (const id of ids) kept.delete(id);
    return Promise.resolve(deleted);
  },
  keepMatches: (recorded: RecordedMatch[]) => {
    for (const entry of recorded) kept.set(entry.match.id, entry);
    return Promise.resolve(recorded.length);
  },
}));

const record = parseRecord(signedText);
if (!isFinishedRecord(record)) throw new Error("the fixture is a finished match");
const context = { seat: 1, title: "The Wet Boot", rulesName: "basic", rulesBase: "", bots: [null, null, null] };
const match = summarizeMatch(record, { ...context, playedAt: 1_700_000_000_000 });
const other = { ...match, id: "K7P4/2/00", number: 2 };

beforeEach(() => {
  kept.clear();
  for (const each of [match, other]) kept.set(each.id, { match: each, record: signedText });
});

function renderButtons(): MatchDeletion {
  const deletion = new MatchDeletion(() => Promise.resolve());
  render(HistoryActions, { matches: [match, other], deletion, onadd: () => Promise.resolve() });
  return deletion;
}

test("all matches are deleted only after a question, and can be brought back", async () => {
  renderButtons();
  await userEvent.click(screen.getByRole("button", { name: "Delete all matches" }));
  expect(screen.getByRole("group").textContent).toContain("Delete all 2 matches from this browser?");
  await userEvent.click(screen.getByRole("button", { name: "Keep them" }));
  expect(kept.size).toBe(2);
  await userEvent.click(screen.getByRole("button", { name: "Delete all matches" }));
  await userEvent.click(screen.getByRole("button", { name: "Delete them" }));
  expect(kept.size).toBe(0);
  expect(screen.getAllByRole("status").at(-1)?.textContent).toBe("2 matches deleted.");
  await userEvent.click(screen.getByRole("button", { name: "Undo" }));
  expect([...kept.keys()]).toEqual([match.id, other.id]);
  expect(screen.getAllByRole("status").at(-1)?.textContent).toBe("Your matches are back.");
});

test("one match is deleted without a question, and the focus is on the way back", async () => {
  const deletion = renderButtons();
  await deletion.delete([other.id]);
  expect([...kept.keys()]).toEqual([match.id]);
  const undo = await screen.findByRole("button", { name: "Undo" });
  expect(document.activeElement).toBe(undo);
});

describe("history file", () => {
  const context = { seat: 1, title: "The Wet Boot", rulesName: "basic", rulesBase: "", bots: [null, null, "novice"] };

  function fileWith(record: string, changes: object = {}): string {
    const entry = { ...context, playedAt: 1_700_000_000_000, record, ...changes };
    return JSON.stringify({ format: "liarsdice_matches", version: 1, matches: [entry] });
  }

  async function read(content: string): Promise<RecordedMatch[]> {
    return readHistoryFile(new Blob([content]));
  }

  test("a saved file is read as the matches that were saved", async () => {
    const matches = await read(fileWith(signedText));
    expect(matches.map(({ match }) => match.id)).toEqual([expect.stringMatching(/^K7P4\/1\/[0-9a-f]{64}$/)]);
    expect(await read(writeHistoryFile(matches))).toEqual(matches);
  });

  test.each<[string, Key, string]>([
    ["no JSON", "matches.file.other", "hello"],
    ["another format", "matches.file.other", "[1]"],
    ["a later version", "matches.file.newer", fileWith(signedText).replace('"version":1', '"version":2')],
    ["a seat that nobody had", "matches.file.entry", fileWith(signedText, { seat: 3 })],
    ["a name that is no text", "matches.file.entry", fileWith(signedText, { title: { toString: 1 } })],
    ["a date out of range", "matches.file.entry", fileWith(signedText, { playedAt: 1e300 })],
    ["too few bots", "matches.file.entry", fileWith(signedText, { bots: [] })],
    ["a record without an end", "matches.file.entry", fileWith(signedText.replaceAll("match_ended", "round_ended"))],
    ["an unknown event", "matches.file.entry", fileWith(signedText.replace("bid_made", "__proto__"))],
    [
      "a seat of an event that does not exist",
      "matches.file.entry",
      fileWith(signedText.replace('"seat":1', '"seat":7')),
    ],
    ["hands that are no lists", "matches.file.entry", fileWith(signedText.replace(/"hands":\[\[/, '"hands":[[null,'))],
    ["rules without dice", "matches.file.entry", fileWith(signedText.replace('"per_player":3', '"per_player":"3"'))],
    ["a record that is none", "matches.file.entry", fileWith("{}")],
  ])("a file with %s is refused", async (_, key, content) => {
    await expect(read(content)).rejects.toThrow(t(key, { number: 1 }));
  });
});

describe("match summary", () => {
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

  test("a match with a doubled challenge is kept", () => {
    const { start, events, ...rest } = finished(matchText);
    const call = events.findIndex(({ type }) => type === "challenged");
    const called = events[call];
    if (called?.type !== "challenged") throw new Error("the fixture has a challenge");
    const doubled = { ...called, type: "doubled" as const };
    const answered = {
      type: "double_answered" as const,
      seat: called.bidder,
      opponent: called.seat,
      answer: "accept" as const,
    };
    expect(isFinishedRecord({ ...rest, start, events: events.toSpliced(call, 0, doubled, answered) })).toBe(true);
  });

  test("winners come first, then the others by when they went out", () => {
    expect(kept(matchText, 0).places).toEqual([1, 3, 2]);
    expect(kept(matchText, 0).rounds).toBe(3);
  });

  test("the lives that a player received count for the place at the last round", () => {
    const record = finished(matchText);
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

  test("places are those of the program", () => {
    const cases = placeCases
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { places: number[]; record: string });
    expect(cases.length).toBeGreaterThan(3);
    for (const { places, record } of cases) expect(finalPlaces(parseRecord(record))).toEqual(places);
  });

  test("two who go out at once share a place", () => {
    const record = finished(matchText);
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
    const left = finished(matchText.replace('"engine"', '"stand_ins":[0],"engine"'));
    const context = { title: "", rulesName: "", rulesBase: "", bots: [null, null, null], playedAt: 1 };
    const [own, other] = [0, 1].map((seat) => summarizeMatch(left, { ...context, seat }));
    expect(own && [own.places[0], isWon(own), ownResults([own])]).toEqual([1, false, []]);
    expect(own && [totals([own]).wins, byRules([own]).map(({ wins }) => wins)]).toEqual([0, [0]]);
    const [name = ""] = left.start.names;
    expect(other && headToHead([other])).toContainEqual({ name, bot: true, id: 1, matches: 1, ahead: 0, behind: 1 });
    expect(buildTimeline(left).at(-1)?.text).toContain(`${name} (bot)`);
  });

  test("calls are counted for the player who made them", () => {
    expect([0, 1, 2].map((seat) => [kept(matchText, seat).calls, kept(matchText, seat).rightCalls])).toEqual([
      [2, 2],
      [1, 0],
      [0, 0],
    ]);
  });

  test("the best doubt is the one that was wrong by least, and leads to its step of the replay", () => {
    const { moments } = kept(matchText, 0);
    const doubt = moments.find(({ kind }) => kind === "doubt");
    expect(doubt).toMatchObject({ round: 2, bid: [3, 2], count: 2 });
    const steps = buildTimeline(parseRecord(matchText));
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
    const record = finished(matchText);
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
    const matches = [kept(matchText, 0), { ...kept(matchText, 1), rulesName: "perudo" }];
    expect(totals(matches)).toEqual({ matches: 2, wins: 1, calls: 3, rightCalls: 2 });
    const { game } = parseRecord(matchText).start.ruleset.labels;
    expect(byRules(matches)).toEqual([
      { game, house: true, matches: 1, wins: 1 },
      { game, house: false, matches: 1, wins: 0 },
    ]);
    const [, second = "", third = ""] = parseRecord(matchText).start.names;
    expect(
      headToHead([kept(matchText, 0), { ...kept(matchText, 0), names: ["I", second.toUpperCase(), third] }]),
    ).toEqual([
      { name: second, bot: false, id: 2, matches: 2, ahead: 2, behind: 0 },
      { name: third, bot: true, id: 3, matches: 2, ahead: 2, behind: 0 },
    ]);
    expect(bestMoments(matches).map(({ moment }) => moment.kind)).toContain("doubt");
  });
});
