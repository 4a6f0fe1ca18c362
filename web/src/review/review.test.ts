import { render, screen } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { expect, test, vi, beforeEach, describe } from "vitest";
import { ApiError } from "../lib/http";
import type {
  DecisionFacts,
  DecisionReview,
  MatchFacts,
  ReviewLine,
  ResultAccount,
  BidCount,
  DecisionReason,
  PlayerParts,
} from "../lib/protocol";
import { decisionFacts } from "../testing/tableFrames";
import {
  reasonText,
  resultText,
  formatGain,
  gainStep,
  linePoints,
  MARKER_PX,
  markerPlaces,
  turnDecision,
  turnText,
  turningPoints,
  type TurningPoint,
  findBluffs,
} from "./report";
import { ReviewState } from "./reviewState.svelte";
import { say, type Narrator } from "../lib/narrator";
import {
  describeMove,
  formatAccuracy,
  formatCost,
  hasOtherMoves,
  moveName,
  otherMoves,
  worthNote,
} from "./decisionWords";
import text from "../../../tests/golden/reason_cases.json?raw";
import type { Ruleset } from "../lib/ruleset";
import { LANGUAGES, setLanguage, t, type Language } from "../lib/i18n.svelte";
import { reasonSentences, whyText } from "../lib/reasonText";
import CostLine from "./CostLine.svelte";
import DearestList from "./DearestList.svelte";
import WhatIf from "./WhatIf.svelte";

const REASON: DecisionReason = {
  seat: 0,
  bids: [
    {
      role: "best",
      bid: { type: "bid", quantity: 3, face: 2 },
      held: 1,
      p_stands: 0.4,
      p_exact: 0.2,
      reading: null,
      p_challenged: 0.1,
    },
  ],
  challenge: false,
  exact: false,
  less_room: false,
  p_loses: null,
  p_gains: null,
  rival: null,
};

describe("review state", () => {
  const facts: DecisionFacts[] = [0, 1, 0, 1].map((seat, number) => {
    const changes = { number, round_number: 1 + Math.floor(number / 2), seat };
    if (number % 2 === 0) return decisionFacts(changes);
    return decisionFacts({
      ...changes,
      bid: { type: "bid", quantity: 1, face: 2 },
      bidder: 0,
      move: { type: "challenge" },
    });
  });
  const match = {
    names: ["Ann", "Bo"],
    ruleset: {},
    winners: [0],
    rounds: [],
    decisions: facts,
  } as unknown as MatchFacts;

  function reviewed(number: number, cost: number): ReviewLine {
    const moves = [{ move: facts[number]?.move, value: 0.5, error: 0, p_right: null }];
    const review = { ...facts[number], source: "playouts", cost, error: cost / 2, best: null, moves, reason: null };
    return { type: "decision", review: review as unknown as DecisionReview, observations: [] };
  }

  /** Lets the server answer with these lines, cut into pieces that are no whole lines. */
  function answer(lines: ReviewLine[], pieceLength = 7): void {
    const bytes = new TextEncoder().encode(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let start = 0; start < bytes.length; start += pieceLength)
          controller.enqueue(bytes.slice(start, start + pieceLength));
        controller.close();
      },
    });
    vi.stubGlobal("fetch", () => Promise.resolve(new Response(body)));
  }

  const started: ReviewLine = { type: "started", match, deals: 240, judge: "champion@11", matches_to_tell: 730 };
  const account = {
    type: "account",
    account: {
      parts: [
        { luck: 0.3, luck_error: 0.13 },
        { luck: -0.3, luck_error: 0.13 },
      ],
      win_line: [],
      turning_points: [[], []],
    },
  } as unknown as ReviewLine;
  const finished: ReviewLine = { type: "finished", players: [] };
  const narrator = { rules: undefined, names: match.names, viewerSeat: 0 };

  async function follow(lines: ReviewLine[]): Promise<ReviewState> {
    answer(lines);
    const review = new ReviewState();
    await review.follow("", new AbortController().signal);
    return review;
  }

  test("costs are summed by player, and the dearest decisions come first", async () => {
    const costs = [0.02, 0.01, 0.05, 0];
    const review = await follow([started, ...costs.map((cost, number) => reviewed(number, cost)), finished]);
    const [ann, bo] = review.totals;
    expect(ann).toMatchObject({ decisions: 2, costly: 2 });
    expect(ann?.cost).toBeCloseTo(0.07);
    expect(ann?.error).toBeCloseTo(Math.hypot(0.01, 0.025));
    expect(bo).toMatchObject({ decisions: 2, costly: 1, cost: 0.01 });
    expect(review.dearest(0).map(({ number }) => number)).toEqual([2, 0]);
  });

  test("decisions without a choice do not count", async () => {
    const easy = reviewed(2, 0);
    if (easy.type === "decision") easy.review.moves = [];
    const review = await follow([started, reviewed(0, 0.02), reviewed(1, 0), easy, reviewed(3, 0.01), finished]);
    expect(review.totals.map(({ decisions }) => decisions)).toEqual([1, 2]);
  });

  test("the next dear decision is found from any place, and again from the start", async () => {
    const review = await follow([started, ...[0.01, 0, 0.02].map((cost, number) => reviewed(number, cost)), finished]);
    expect([0, 1, 2].map((number) => review.nextDear(number))).toEqual([2, 2, 0]);
  });

  test("a review that breaks off keeps what is known and says so", async () => {
    answer([started, { type: "waiting", ahead: 2 }, reviewed(0, 0.02)]);
    const review = new ReviewState();
    await expect(review.follow("", new AbortController().signal)).rejects.toThrow(ApiError);
    expect(review.decisions).toHaveLength(1);
    expect(review.players).toBeNull();
  });

  test("the best move of each dearest decision has its reason", async () => {
    const line = reviewed(0, 0.02);
    if (line.type === "decision") line.review.reason = REASON;
    const review = await follow([started, line, finished]);
    render(DearestList, { review, narrator, seat: 0, onseat: () => undefined });
    expect(screen.getByRole("listitem").textContent).toMatch(/was worth more .*One of your dice counts for three twos/);
  });

  test.each([
    [0.3, "Why four twos rather than “Liar!”: One of your dice"],
    [0.4, "Either four twos or “Liar!”, which is worth as much: One of your dice"],
  ])("a reason names both moves, of which one is worth %d less than 0.5", (value, start) => {
    const moves = [
      { move: { type: "bid", quantity: 4, face: 2 }, value: 0.5, error: 0, p_right: 0.5 },
      { move: { type: "challenge" }, value, error: 0.1, p_right: 0.5 },
    ] as const;
    const decision = { moves: [...moves], best: moves[0].move, compared: 1 };
    expect(whyText(REASON, decision, narrator, (move) => moveName(narrator, move)).startsWith(start)).toBe(true);
  });

  test.each([
    ["en", ["Ann’s moves", "Bo’s moves", "not computed yet"]],
    ["es", ["Las jugadas de Ann", "Las jugadas de Bo", "aún sin calcular"]],
  ] as const)("in %s, words beside the bars say whose they are", async (language, words) => {
    await setLanguage(language);
    vi.stubGlobal(
      "ResizeObserver",
      class extends EventTarget {
        observe = vi.fn();
        unobserve = vi.fn();
      },
    );
    answer([started, reviewed(0, 0.02), reviewed(1, 0.01)]);
    const review = new ReviewState();
    await expect(review.follow("", new AbortController().signal)).rejects.toThrow(ApiError);
    const unseen = { ...narrator, viewerSeat: null };
    const shown = render(CostLine, { review, narrator: unseen, seat: 0, current: 0, onselect: () => undefined });
    expect([...shown.container.querySelectorAll(".legend span")].map((each) => each.textContent)).toEqual(words);
    expect(shown.container.querySelectorAll("rect.cost:not(.other)")).toHaveLength(1);
  });

  test("the reason of a review that fails is that of the server", async () => {
    answer([started, { type: "failed", code: "try_again", text: "that took too long" }]);
    await expect(new ReviewState().follow("", new AbortController().signal)).rejects.toMatchObject({
      code: "try_again",
    });
  });

  test("the list begins with the viewer, and at the end with whoever gave something away", async () => {
    answer([started, reviewed(0, 0), reviewed(1, 0.01)]);
    const running = new ReviewState();
    await expect(running.follow("", new AbortController().signal)).rejects.toThrow(ApiError);
    expect(running.firstListed(0)).toBe(0);
    const done = await follow([started, reviewed(0, 0), reviewed(1, 0.01), finished]);
    expect([0, 1].map((seat) => done.firstListed(seat))).toEqual([1, 1]);
    expect((await follow([started, reviewed(0, 0), finished])).firstListed(0)).toBe(0);
  });

  test("one line says who won, how kind the dice were and what the moves cost", async () => {
    const review = await follow(
      [started, reviewed(0, 0.02), reviewed(1, 0.04), reviewed(2, 0), reviewed(3, 0), account].concat(finished),
    );
    const parts = review.account?.parts ?? [];
    expect(resultText(narrator, match.winners)).toBe("You won.");
    expect(reasonText(narrator, parts, review.totals, [0])).toBe(
      "Your decisions cost 2.0 points, Bo’s 4.0 points. The dice helped you.",
    );
    const unseen = { ...narrator, viewerSeat: null };
    expect(resultText(unseen, [0, 1])).toBe("Ann and Bo share the win.");
    expect(reasonText(unseen, null, review.totals, [1])).toBe("Bo’s decisions cost 4.0 points, Ann’s 2.0 points.");
  });
});

describe("the headline and the figures beside it", () => {
  const LUCK = [0.3, 0.1, -0.3];
  const COSTS = [0, 0.0003, 0.004, 0.02, 0.298, 1.2];
  const CODES = Object.keys(LANGUAGES) as Language[];
  const CASES = CODES.flatMap((language) => [2, 3, 4, 5, 6].map((seats) => [language, seats] as const));
  const digits = (text: string): string => /<?[\d.,]*\d/.exec(text)?.[0] ?? "";

  test.each(CASES)("say the same in %s at %i seats", async (language, seats) => {
    await setLanguage(language);
    const names = ["Ann", "Bo", "Cy", "Di", "Ed", "Flo"].slice(0, seats);
    const free = t("review.amount.none");
    for (const own of COSTS)
      for (const theirs of COSTS)
        for (const share of [0, 0.3])
          for (const gain of LUCK)
            for (const viewerSeat of [0, seats - 1, null]) {
              const subject = viewerSeat ?? 0;
              const narrator = { rules: undefined, names, viewerSeat };
              const totals = names.map((_, seat) => {
                const cost = seat === subject ? own : theirs;
                return { seat, decisions: 9, costly: cost > 0 ? 1 : 0, cost, error: share * cost };
              });
              const parts = names.map(() => ({ luck: gain, luck_error: 0.13 })) as unknown as PlayerParts[];
              const [costs = "", luck = "", ...more] = reasonText(narrator, parts, totals, [0]).split(/(?<=[^\d]\.) /);
              expect(more).toEqual([]);
              const step = gain > 0 ? "gain" : "loss";
              expect(luck).toBe(gain === 0.1 ? "" : `${say(narrator, `review.dice.${step}`, subject)}.`);
              const accuracies = totals.map(({ cost }) => formatAccuracy({ accuracy: 100 * Math.exp(-cost), cost }));
              expect(accuracies.map((text) => text === "100")).toEqual(totals.map(({ cost }) => cost === 0));
              const listed = [own, theirs].map((cost) => digits(formatCost(cost)));
              if (own === 0 && theirs === 0) {
                expect(costs.toLowerCase()).toBe(`${t("review.cost.free")}.`);
                continue;
              }
              // each amount is the figure of the list, or says that there is none where the list says 0
              const amounts = costs
                .split(new RegExp(`(${free}|<?\\d[\\d.,]*\\d)`))
                .filter((_, place) => place % 2 === 1);
              expect(amounts.map((text) => (text === free ? "0" : text))).toEqual(listed);
            }
  });

  test.each(CODES)("what came of moves with all cups open is told in words that no cost has: %s", async (language) => {
    await setLanguage(language);
    for (const step of ["loss", "even", "gain"] as const)
      expect(t(`review.gain.${step}`)).not.toMatch(/cost|loss|gain|change|pérdida|ganancia|cambio/i);
  });
});

describe("win line", () => {
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

  test("what dice and moves gave is told beyond its error, and as points with a sign when it is asked for", () => {
    expect([-0.3, -0.1, 0, 0.2].map((gain) => gainStep(gain, 0.13))).toEqual(["loss", null, null, "gain"]);
    expect([0.437, -0.06, 0.001].map(formatGain)).toEqual(["+44", "−6", "0"]);
  });
});

const FOUR = { type: "bid", quantity: 4, face: 4 } as const;

const count = (own: number, held: boolean): BidCount => ({ own, counted: [own, 1], held });

function bluffs(seat: number, ...decisions: DecisionFacts[]): unknown {
  return findBluffs({ decisions } as unknown as MatchFacts, seat);
}

test("a bid above what the own hand counts for is a bluff, by how much it says more", () => {
  const facts = [
    decisionFacts({ number: 0, seat: 0, move: FOUR, made_count: count(4, true) }),
    decisionFacts({ number: 1, seat: 1, move: { ...FOUR, quantity: 5 }, made_count: count(2, true) }),
    decisionFacts({ number: 2, seat: 0, move: { ...FOUR, quantity: 6 }, made_count: count(5, false) }),
    decisionFacts({ number: 3, seat: 1, move: { type: "challenge" }, made_count: null }),
  ];
  expect(bluffs(0, ...facts)).toEqual([{ number: 2, round: 1, above: 1, held: false }]);
  expect(bluffs(1, ...facts)).toEqual([{ number: 1, round: 1, above: 3, held: true }]);
});

test("a bid with shown dice is one, too", () => {
  const shown = decisionFacts({
    number: 0,
    seat: 0,
    move: { type: "bid_and_show", bid: FOUR, shown: [4] },
    made_count: count(2, false),
  });
  expect(bluffs(0, shown)).toEqual([{ number: 0, round: 1, above: 2, held: false }]);
});

describe("decision words", () => {
  const MADE = { type: "bid", quantity: 2, face: 3 } as const;
  const BETTER = { type: "challenge" } as const;

  function decision(moves: (typeof MADE | typeof BETTER)[], bids: [number, number][], exact = false): DecisionReview {
    const values = moves.map((move) => ({ move, value: 0.5, error: 0, p_right: null }));
    return {
      move: MADE,
      moves: values,
      other_bids: bids,
      other_moves: exact ? [{ type: "exact" }] : [],
    } as unknown as DecisionReview;
  }

  test("every move but the one that was made can be played on: by name what was compared and calls, then other bids", () => {
    const { named, bids } = otherMoves(decision([BETTER, MADE], [[4, 5]], true));
    expect(named).toEqual([BETTER, { type: "exact" }]);
    expect(bids).toEqual([{ type: "bid", quantity: 4, face: 5 }]);
  });

  test("pure bids are listed with the other bids", () => {
    const pure = { type: "bid", quantity: 3, face: 2, pure: true } as const;
    const { named, bids } = otherMoves({ ...decision([BETTER, MADE], []), other_moves: [pure, { type: "pass" }] });
    expect(named).toEqual([BETTER, { type: "pass" }]);
    expect(bids).toEqual([pure]);
  });

  const MOVES: [DecisionFacts["move"], string, string][] = [
    [{ type: "pass" }, "Bo passed", "passing"],
    [{ type: "challenge_pass" }, "Bo doubted the pass", "doubting the pass"],
    [{ type: "challenge", double: true }, "Bo called “Liar!” for double stakes", "“Liar!” for double stakes"],
    [{ type: "answer_double", answer: "fold" }, "Bo folded", "folding"],
    [{ type: "reroll" }, "Bo rolled the dice again", "rolling again"],
    [{ type: "choose_kind", kind: "open" }, "Bo chose an open round", "an open round"],
    [{ type: "declare_special" }, "Bo declared “Special Round!”", "“Special Round!”"],
    [
      { type: "bid_and_show", bid: { type: "bid", quantity: 2, face: 4, pure: true }, shown: [4, 4] },
      "Bo bid two fours zhai and showed dice",
      "two fours zhai, showing two dice",
    ],
  ];

  test.each(MOVES)("moves that only some rules know have words: %s", (move, sentence, noun) => {
    const narrator: Narrator = { rules: undefined, names: ["Ann", "Bo"], viewerSeat: 0 };
    expect(describeMove(narrator, { seat: 1, move })).toBe(sentence);
    expect(moveName(narrator, move)).toBe(noun);
  });

  test("where only one move was possible, or nothing can be played on, there is no other", () => {
    expect(hasOtherMoves(decision([], []))).toBe(false);
    expect(hasOtherMoves(decision([MADE], []))).toBe(false);
    expect(hasOtherMoves(decision([], [[4, 5]]))).toBe(true);
  });

  test("values say whether they are exact, follow from both playing on, or were drawn", () => {
    expect(worthNote({ source: "solved" })).toContain("solved exactly");
    expect(worthNote({ source: "blueprint" })).toContain("if both play on like the champion");
    expect(worthNote({ source: "playouts" })).toMatch(/^Chance to win the match\. The longer the bar/);
  });
});

/** The golden reasons, the same as in the package. */
interface Case {
  rules: string;
  language: Language;
  viewer: number | null;
  reason: DecisionReason;
  sentences: string[];
}
const golden = JSON.parse(text) as { names: string[]; rulesets: Record<string, Ruleset>; cases: Case[] };

test.each(Object.keys(LANGUAGES) as Language[])("the reasons in %s are the golden ones", async (language) => {
  await setLanguage(language);
  const cases = golden.cases.filter((each) => each.language === language);
  expect(cases.length).toBeGreaterThan(9);
  for (const { rules, viewer, reason, sentences } of cases) {
    const narrator = { rules: golden.rulesets[rules], names: golden.names, viewerSeat: viewer };
    expect(reasonSentences(reason, narrator)).toEqual(sentences);
  }
});

test.each([
  ["playouts", "Play on 960 times", "240 of 960", "Two twos was better: the band has left zero."],
  ["solved", "Compare", null, "Two twos was better."],
  ["blueprint", "Compare", null, "they cannot tell the moves apart."],
] as const)(
  "another move that is judged by %s names deals only if some were drawn",
  async (source, button, deals, says) => {
    const [two, call] = [{ type: "bid", quantity: 2, face: 2 } as const, { type: "challenge" } as const];
    const drawn = source === "playouts";
    const comparison = {
      source,
      deals: drawn ? 240 : 0,
      made: 0.3,
      other: 0.4,
      difference: 0.1,
      error: { playouts: 0.02, solved: 0, blueprint: 0.2 }[source],
      reason: source === "blueprint" ? null : REASON,
    };
    const line = { type: "progress", comparison, total: drawn ? 960 : 0 };
    vi.stubGlobal("fetch", () => Promise.resolve(new Response(`${JSON.stringify(line)}\n`)));
    const facts = { number: 0, source, move: call, moves: [{ move: two }], other_bids: [], other_moves: [] };
    const decision = facts as unknown as DecisionReview;
    const narrator = { rules: undefined, names: ["Ann", "Bo"], viewerSeat: 0 };
    render(WhatIf, { record: "", decision, narrator, onready: () => undefined });
    await userEvent.click(screen.getByRole("button", { name: new RegExp(button) }));
    const result = await screen.findByRole("status");
    expect(result.textContent).toContain("Two twos wins 40% of matches");
    expect(result.textContent.endsWith(says)).toBe(true);
    expect(result.textContent.includes("±")).toBe(source !== "solved");
    expect(screen.queryByText(/^One of your dice counts for three twos/) === null).toBe(source === "blueprint");
    expect(screen.queryByText(/ of 960/)?.textContent ?? null).toBe(deals);
    expect(screen.queryByText(/in the band/) === null).toBe(!drawn);
  },
);

describe("review offer", () => {
  beforeEach(() => vi.resetModules());

  test("a server without reviews is asked once", async () => {
    const fetched = vi.fn(() => Promise.resolve(new Response(JSON.stringify({ offered: false }))));
    vi.stubGlobal("fetch", fetched);
    const { offersReviews } = await import("./reviewService");
    expect([await offersReviews(), await offersReviews()]).toEqual([false, false]);
    expect(fetched).toHaveBeenCalledTimes(1);
  });

  test("without an answer the link stays, and the server is asked again", async () => {
    vi.stubGlobal("fetch", () => Promise.reject(new TypeError("offline")));
    const { offersReviews } = await import("./reviewService");
    expect(await offersReviews()).toBe(true);
    vi.stubGlobal("fetch", () => Promise.resolve(new Response(JSON.stringify({ offered: false }))));
    expect(await offersReviews()).toBe(false);
  });
});
