/** What a browser stored, perhaps by an older page or by hand, never hides a screen: it is ignored or filled. */
import { beforeEach, expect, test, vi } from "vitest";
import text from "../replay/signed.fixture.jsonl?raw";
import { ownFace, savedName } from "./player.svelte";
import { invitedAgain, waitingSince } from "../lobby/arrivals";
import { wasDeleted, isFinishedRecord } from "../history/matchStore";
import { summarizeMatch, type KeptMatch } from "../history/matchSummary";
import { bestMoments, headToHead, ownResults, totals } from "../history/statistics";
import { QuickPlay } from "../landing/quickPlay.svelte";
import { loadScores, playerRating, streak } from "../puzzles/puzzles";
import { parseRecord } from "../replay/matchRecord";
import { seenSeq } from "../reveal/missedCalls";
import { ownGames } from "../setup/presets";
import { TableFormState } from "../setup/tableForm.svelte";
import { UiState } from "../table/uiState.svelte";
import { savedVolume } from "./audio";
import { heldSeat } from "./browserState.svelte";
import { seedFor } from "./seeds";

const { stores } = vi.hoisted(() => ({ stores: new Map<string, Map<string, unknown>>() }));
vi.mock("idb", () => ({
  openDB: () =>
    Promise.resolve({
      getAllFromIndex: (name: string) => Promise.resolve([...(stores.get(name)?.values() ?? [])]),
      transaction: (name: string) => ({
        store: {
          getAllKeys: () => Promise.resolve([...(stores.get(name)?.keys() ?? [])]),
          getAll: () => Promise.resolve([...(stores.get(name)?.values() ?? [])]),
          delete: (key: string) => Promise.resolve(stores.get(name)?.delete(key)),
        },
        done: Promise.resolve(),
      }),
    }),
}));

beforeEach(() => {
  stores.clear();
  vi.resetModules(); // files of tests share modules, and others have a database or none
});

async function keptMatches(): Promise<KeptMatch[]> {
  return (await import("../history/matchStore")).keptMatches();
}

const JUNK = [
  "",
  "null",
  "5",
  '"x"',
  "[1]",
  "{",
  '{"FLEA":5,"days":5,"tries":"x","best":"x","seats":"x","code":5}',
  '{"x":"/rules/%zz?a=1","y":"/rules/perudo","z":"/rules/a/b?c=1","rules":"perudo","changes":[]}',
  "\ufffd",
];

test.each(JUNK)("no setting that is %j throws", (junk) => {
  const keys = ["face", "seat", "hidden", "seen", "seeds", "quick", "again", "puzzles", "volume", "history.deleted"];
  for (const key of [...keys, "name", "manners", "played", "tutorial", "odds", "sound", "games"]) {
    localStorage.setItem(`liarsdice.${key}`, junk);
    sessionStorage.setItem(`liarsdice.${key}`, junk);
  }
  dispatchEvent(new StorageEvent("storage"));
  expect(heldSeat.current).toBeNull();
  expect(ownFace.current).toBe(0);
  expect(streak(loadScores(), new Date())).toBe(0);
  expect(loadScores().best).toBe(0);
  expect(playerRating(loadScores(), [])).toBeNull();
  expect(new UiState("FLEA").hiddenPlayers).toEqual([]);
  expect(seenSeq("FLEA")).toBeNull();
  expect(seedFor("FLEA")).toBeNull();
  expect([invitedAgain("FLEA"), waitingSince("FLEA"), wasDeleted("FLEA/1/00")]).toEqual([[], null, false]);
  expect(savedVolume()).toBeGreaterThan(0);
  expect(savedName()).toBe(junk);
  expect(new QuickPlay().botCount).toBe(3);
  expect(new TableFormState().seats).toBeGreaterThan(1);
  expect([new TableFormState().restore(), ownGames()]).toEqual([null, []]);
});

function entry(): Record<string, unknown> {
  const record = parseRecord(text);
  if (!isFinishedRecord(record)) throw new Error("the fixture is a finished match");
  const context = { seat: 1, title: "The Wet Boot", rulesName: "basic", rulesBase: "", bots: [null, null, "regular"] };
  return { ...summarizeMatch(record, { ...context, playedAt: 1_700_000_000_000 }) };
}

function show(matches: readonly KeptMatch[]): void {
  totals(ownResults(matches));
  headToHead(matches);
  bestMoments(matches);
}

test("an entry of the list of matches without stand-ins is shown", async () => {
  const { standIns, ...older } = entry();
  stores.set("matches", new Map([["a", older]]));
  expect(await keptMatches()).toEqual([{ ...older, standIns }]);
});

test("entries of the list of matches that cannot be shown are left out", async () => {
  const good = entry();
  const bad = Object.keys(good).flatMap((field) => [
    { ...good, [field]: undefined },
    { ...good, [field]: { unknown: 1 } },
  ]);
  const moments = [{ ...good, moments: [{ kind: "bold", score: 1, step: 1, round: 1, held: 1 }] }];
  const all = [null, 5, "x", ...bad, ...moments, good];
  stores.set("matches", new Map(all.map((value, index) => [String(index), value])));
  const shown = await keptMatches();
  expect(shown).toEqual([good]);
  show(shown);
});

test("what is kept of a review and cannot be read is reviewed again", async () => {
  const good = { gain: 0.1, costs: [0], observations: [], dearest: [] };
  stores.set(
    "reviewed",
    new Map<string, unknown>([
      ["a", good],
      ["b", { gain: 1 }],
      ["c", null],
    ]),
  );
  const { reviewedMatches } = await import("../history/matchStore");
  expect([...(await reviewedMatches(["a", "b", "c"])).keys()]).toEqual(["a"]);
});
