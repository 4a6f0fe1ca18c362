import { afterEach, expect, test, vi } from "vitest";
import { ApiError } from "../lib/http";
import type { DecisionFacts, DecisionReview, MatchFacts, ReviewLine } from "../lib/protocol";
import { decisionFacts } from "../testing/tableFrames";
import { reasonText, resultText } from "./report";
import { ReviewState } from "./reviewState.svelte";

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
  account: { parts: [{ dice: "much_kinder" }, { dice: "harsher" }], win_line: [], turning_points: [[], []] },
} as unknown as ReviewLine;
const finished: ReviewLine = { type: "finished", players: [] };
const narrator = { rules: undefined, names: match.names, viewerSeat: 0 };

afterEach(() => {
  vi.unstubAllGlobals();
});

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

test("the reason of a review that fails is that of the server", async () => {
  answer([started, { type: "failed", code: "try_again", text: "that took too long" }]);
  await expect(new ReviewState().follow("", new AbortController().signal)).rejects.toMatchObject({ code: "try_again" });
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
    "The dice helped you a lot; your moves cost little, Bo’s something.",
  );
  expect(reasonText(narrator, parts, null, [0])).toBe("The dice helped you a lot.");
  const unseen = { ...narrator, viewerSeat: null };
  expect(resultText(unseen, [0, 1])).toBe("Ann and Bo share the win.");
  expect(reasonText(unseen, null, review.totals, [1])).toBe("Bo’s moves cost something, Ann’s little.");
});

test("the line goes by the cost of a decision, and does not set apart what is of one size", async () => {
  const { totals } = await follow([started, reviewed(0, 0.014), reviewed(1, 0.012), finished]);
  const free = totals.map((each) => ({ ...each, cost: 0 }));
  const many = totals.map((each) => ({ ...each, cost: 0.4, decisions: 40 }));
  expect(reasonText(narrator, null, totals, [0])).toBe("Your moves cost little, Bo’s as much.");
  expect(reasonText(narrator, null, many, [0])).toBe("Your moves cost little, Bo’s as much.");
  const dear = totals.map((each) => ({ ...each, cost: each.seat === 0 ? 1 : 3, decisions: 20 }));
  expect(reasonText(narrator, null, dear, [0])).toBe("Your moves cost a lot, Bo’s even more.");
  expect(reasonText({ ...narrator, viewerSeat: 1 }, null, dear, [0])).toBe("Your moves cost a lot, Ann’s less.");
  expect(reasonText(narrator, null, free, [0])).toBe("No move cost anything that we can tell.");
  const three = [...free, { ...free[0], seat: 2, cost: 0.4 }] as typeof free;
  expect(reasonText({ ...narrator, names: ["Ann", "Bo", "Cy"] }, null, three, [0])).toBe(
    "Your moves cost nothing that we can tell, the others’ a lot on average.",
  );
});
