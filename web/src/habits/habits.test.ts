import { beforeEach, expect, test, vi, describe } from "vitest";
import { ApiError } from "../lib/http";
import type { HabitsForm, ReviewLine, Habit, HabitReport, Skill } from "../lib/protocol";
import tutorialCases from "../../../tests/golden/tutorial_cases.json?raw";
import { isTutorial } from "../history/statistics";
import type { Ruleset } from "../lib/ruleset";
import {
  HabitSearch,
  findingText,
  habitName,
  habitSentence,
  neededText,
  skillText,
  tipText,
  totalText,
} from "./habits.svelte";
import { setLanguage } from "../lib/i18n.svelte";

interface TutorialCase {
  game: string;
  seats: number;
  dice: number;
  starter: string;
  tutorial: boolean;
}

function rulesOf({ game, dice, starter }: Pick<TutorialCase, "game" | "dice" | "starter">): object {
  return { labels: { game }, dice: { per_player: dice }, first_starter: { method: starter } };
}

const store = vi.hoisted(() => ({ ids: ["a", "b"], known: new Map<string, unknown>() }));
const server = vi.hoisted(() => ({ lines: [] as unknown[], refusals: [] as unknown[], asked: [] as unknown[] }));

vi.mock("../history/matchStore", () => ({
  keptMatches: () =>
    Promise.resolve(
      store.ids.map((id) => ({
        id,
        seat: 1,
        standIns: id === "left" ? [1] : [],
        names: ["Ann", "Bo"],
        ruleset: rulesOf({ game: "Basic Liar's Dice", dice: id === "tutorial" ? 3 : 5, starter: "random" }),
      })),
    ),
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

test.each(JSON.parse(tutorialCases) as TutorialCase[])("%o is a tutorial, or none, as for the program", (one) => {
  const names = Array.from({ length: one.seats }, () => "");
  expect(isTutorial({ names, ruleset: rulesOf(one) as Ruleset })).toBe(one.tutorial);
});

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

const own = { gain: 1 - 0.2 - 1 / 2, costs: [0.02], observations: [seen] };
const coached = { ...own, dearest: [{ seat: 1, cost: 0.02 }] };

test("each match is reviewed once, and the habits come from the player’s own decisions", async () => {
  store.known.set("a", coached);
  const search = new HabitSearch();
  await search.run(new AbortController().signal);
  expect(server.asked).toEqual(["record b"]);
  expect(store.known.get("b")).toEqual(coached);
  expect(forms.at(-1)).toEqual({ matches: [own, own] });
  expect([search.done, search.total, search.report?.matches]).toEqual([2, 2, 2]);
  expect(search.dearest.map(({ match, decision }) => [match.id, decision.cost])).toEqual([
    ["a", 0.02],
    ["b", 0.02],
  ]);
});

test("a tutorial and a match that the player left do not count", async () => {
  store.ids = ["tutorial", "left", "b"];
  const search = new HabitSearch();
  await search.run(new AbortController().signal);
  expect(server.asked).toEqual(["record b"]);
  expect(search.total).toBe(1);
});

test("a match that cannot be reviewed is left out and not asked about again", async () => {
  server.refusals = [new ApiError("unavailable", "")];
  const search = new HabitSearch();
  await search.run(new AbortController().signal);
  expect(store.known.get("a")).toEqual({ gain: 0, costs: [], observations: [], dearest: [] });
  expect(forms.at(-1)).toEqual({ matches: [own] });
});

test("a server without time is asked again later, and one that is away ends the search", async () => {
  vi.useFakeTimers();
  server.refusals = [new ApiError("too_fast", "")];
  const search = new HabitSearch();
  const run = search.run(new AbortController().signal);
  await vi.waitFor(() => expect(search.waiting).toBe(true));
  await vi.runAllTimersAsync();
  await run;
  expect(server.asked).toEqual(["record a", "record a", "record b"]);
  store.known.clear();
  server.refusals = [new ApiError("offline", "")];
  await expect(new HabitSearch().run(new AbortController().signal)).rejects.toThrow(ApiError);
});

describe("habit text", () => {
  test.each([
    [0, 0, "None cost anything that we can tell."],
    [0.382, 0.382, "They cost 38.2 points a match; a point is a hundredth of a match."],
    [0.1, 0.01, "They cost 10.0 points a match, give or take 1.0; a point is a hundredth of a match."],
  ])("a total of %d ±%d is told as %s", (cost, error, text) => {
    expect(totalText({ ...report([]), cost, error })).toBe(text);
  });

  function habit(changes: Partial<Habit>): Habit {
    return {
      kind: "challenge",
      band: 2,
      decisions: 400,
      share: 0.5,
      share_95: [0.46, 0.54],
      usual: 0.3,
      cost: 0.016,
      error: 0.004,
      verdict: "costs",
      way: "more",
      more_matches: 0,
      ...changes,
    };
  }

  const skill: Skill = { matches: 50, gain: 0.02, error: 0.03, more_matches: 500 };
  const report = (habits: Habit[]): HabitReport => ({
    matches: 50,
    decisions: 900,
    cost: 0.1,
    error: 0.01,
    skill,
    tip: null,
    habits,
  });

  test("the dearest habit that costs something is the finding", () => {
    const found = report([habit({}), habit({ kind: "opening", verdict: "cannot_tell" })]);
    expect(findingText(undefined, found)).toBe(
      "“Liar!” too early on bids that are 40 to 60% likely. It costs 1.6 points a match.",
    );
    expect(findingText(undefined, report([habit({ verdict: "cannot_tell" })]))).toBe(
      "No habit costs anything that we can tell.",
    );
    expect(findingText(undefined, report([habit({ verdict: "not_yet" })]))).toMatch(
      /^First impression: .* 200 decisions of a kind/,
    );
  });

  test("a habit is named with its judgement, if it has one", () => {
    const names = (way: Habit["way"]): string[] => [
      habitName(undefined, habit({ way })),
      habitName(undefined, habit({ way, kind: "bluff", band: 5 })),
      habitName(undefined, habit({ way, kind: "exact" })),
      habitName(undefined, habit({ way, kind: "special" })),
    ];
    expect(names("more")).toEqual([
      "“Liar!” too early on bids that are 40 to 60% likely",
      "Too bold with five dice or more",
      "“Exact!” said too often",
      "Special rounds (Special Round!)",
    ]);
    expect(names("plain").slice(0, 3)).toEqual([
      "“Liar!” on bids that are 40 to 60% likely",
      "Bluffs with five dice or more",
      "“Exact!”",
    ]);
  });

  test("what was counted stands beside the champion, and how many matches are missing", async () => {
    expect(habitSentence(habit({}))).toBe(
      "You called 50% ±4 of them; the champion calls 30%. Calls: 200 of 400 chances.",
    );
    const rare = habit({ verdict: "not_yet", decisions: 40, more_matches: 12 });
    expect(habitSentence(rare)).toBe("Calls: 20 of 40 chances.");
    expect(neededText(rare, 48)).toBe("48 of about 60 matches needed");
    expect(habitSentence(habit({ kind: "silence" }))).toBe("Calls: 200 of 400 chances.");
    await setLanguage("es");
    expect(neededText(rare, 48)).toBe("48 de unas 60 partidas necesarias");
  });

  test("a tip says what to do, and how much is known", () => {
    expect(tipText(undefined, { kind: "challenge", did: true, decisions: 2, cost: 0.124 })).toBe(
      "Call “Liar!” later: before you do, count what your own dice add to the bid. 2 such decisions cost 12.4 points.",
    );
  });

  test("skill has its interval, what is still open, and nothing is said of a few matches", async () => {
    const gain = "With the luck of the dice taken out: +2.0 ±3.0 points a match beside an even share.";
    expect(skillText(skill)).toBe(
      `${gain} About 500 more matches would settle whether you play better or worse than those you met.`,
    );
    expect(skillText({ ...skill, more_matches: null })).toBe(gain);
    expect(skillText({ ...skill, gain: 0.04, more_matches: 0 })).toMatch(/\+4\.0 ±3\.0 .* You play better/);
    expect(skillText({ ...skill, gain: -0.04, more_matches: 0 })).toMatch(/−4\.0 ±3\.0 .* You play worse/);
    expect(skillText({ matches: 3, gain: null, error: null, more_matches: 27 })).toBe(
      "A number for skill takes 30 matches: 27 more.",
    );
    await setLanguage("es");
    expect(skillText({ ...skill, more_matches: 1487 })).toMatch(/cerca de 1500 partidas más/);
  });
});
