import { screen } from "@testing-library/svelte";
import { beforeEach, expect, test, vi, describe } from "vitest";
import type { PublicMatch } from "../lib/protocol";
import { newCommitment } from "../lib/seeds";
import { happened, said, setting, update, SCENARIOS, VERDICT } from "../testing/tableFrames";
import { renderScenario, useTablePage } from "../testing/tablePage";
import { RollClock, ROLL_MS, toldNews } from "./boardState.svelte";
import { FACE_TURNS, throwPath } from "../dice/throwPath";

describe("seed wait", () => {
  useTablePage();
  beforeEach(() => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));

  /** Renders a table that waits for seeds, after the time in which pages usually reveal them. */
  async function renderWait(commitments: string[], revealed: number[]): Promise<void> {
    const match: Partial<PublicMatch> = {
      ...{ round_number: 0, phase: "deal", turn: null, bids: [], resumes_ms: 20_000 },
      seeds: { commitments, revealed },
    };
    SCENARIOS.seeds = [setting(), update(match, { bids: [], may_challenge: false })];
    await renderScenario("seeds");
    expect(screen.queryByText(/part of the dice/)).toBeNull();
    await vi.advanceTimersByTimeAsync(2000);
  }

  test("a player whose seed is in another browser reads what the match waits for, and how long", async () => {
    await renderWait(["5d".repeat(32), "", "", "", "", ""], []);
    expect(screen.getByText(/in the browser in which you took your seat/)).toBeTruthy();
    expect(screen.getByText("0:18 at most.")).toBeTruthy();
  });

  test("while the seeds of others are awaited, the page names them", async () => {
    const own = newCommitment();
    await renderWait([own, "5d".repeat(32), "6e".repeat(32), "", "", ""], [0, 2]);
    expect(screen.getByText("Waiting for the part of the dice that the browser of Tobias adds.")).toBeTruthy();
  });
});

describe("roll clock", () => {
  beforeEach(() => {
    vi.useFakeTimers();
    vi.stubGlobal("matchMedia", () => ({ matches: false }));
  });

  test("the dice roll once for each round, the first times slowly, and come to rest", () => {
    const roll = new RollClock();
    const factors = ["1/1", "1/2", "1/3", "1/4"].map((round) => {
      roll.follow(round, true);
      roll.follow(round, true);
      expect([roll.rolling, roll.count]).toEqual([true, Number(round.slice(2))]);
      vi.advanceTimersByTime(ROLL_MS * roll.factor);
      expect(roll.rolling).toBe(false);
      return roll.factor;
    });
    expect(factors).toEqual([1, 1, 1, 0.55]);
  });

  test("a round that has begun before is not rolled, and a shake starts the roll anew", () => {
    const roll = new RollClock();
    roll.follow("1/1", false);
    expect(roll.rolling).toBe(false);
    roll.roll();
    roll.roll();
    expect([roll.rolling, roll.count]).toEqual([true, 2]);
    roll.finish();
    expect(roll.rolling).toBe(false);
  });

  test("without motion nothing rolls", () => {
    vi.stubGlobal("matchMedia", () => ({ matches: true }));
    const roll = new RollClock();
    roll.roll();
    expect(roll.rolling).toBe(false);
  });
});

const FROM = { x: 10, y: 0 };
const TO = { x: 300, y: 40 };

test.each([1, 2, 3, 4, 5, 6])(
  "a die that shows %i comes to rest in its place, flat, with that face on top",
  (value) => {
    const { die, shadow } = throwPath(value, FROM, TO, 40, 2);
    const rest = String(die.at(-1)?.transform);
    expect(rest).toMatch(/^translate3d\(280\.0px, 20\.0px, -20\.0px\) rotate3d\([^)]*, 0\.0deg\)/);
    // the turn of the cube undoes the turn of the face
    const turn = /(rotate[XY])\((-?\d+)deg\)/;
    const [face, cube] = [turn.exec(FACE_TURNS[value] ?? ""), turn.exec(rest)];
    if (face) expect([cube?.[1], (Number(cube?.[2]) + Number(face[2])) % 360]).toEqual([face[1], 0]);
    else expect(cube).toBeNull();
    expect(die.concat(shadow).some(({ transform }) => /NaN|Infinity/.test(String(transform)))).toBe(false);
  },
);

test("a thrown die bounces twice before it lies", () => {
  const heights = throwPath(3, FROM, TO, 40, 0).die.map(({ transform }) =>
    Number(/translate3d\([^,]+, [^,]+, (-?[\d.]+)px/.exec(String(transform))?.[1]),
  );
  const peaks = heights.filter(
    (height, index) => height > -19 && height > (heights[index - 1] ?? Infinity) && height >= (heights[index + 1] ?? 0),
  );
  expect(peaks.length).toBeGreaterThanOrEqual(2);
  expect(heights.every((height) => height >= -20)).toBe(true);
});

const OLD_LOSS = happened(7, { type: "dice_lost", seat: 1, dice: 1, left: 4, cause: "bid_false", to: null });
const ENTRY = happened(
  9,
  { type: "challenged", seat: 1, bidder: 2, bid: { type: "bid", quantity: 9, face: 4 }, out_of_turn: false },
  VERDICT.reveal,
  { type: "dice_lost", seat: 2, dice: 2, left: 0, cause: "bid_false", to: null },
  { type: "eliminated", seat: 2 },
);
const TALK = said(10, 3, "oh no");
const NEWS = [...OLD_LOSS, ...ENTRY, TALK];

test("the call is told at once, the count after the last cup, and the outcome at the end", () => {
  expect(toldNews(NEWS, "called")).toEqual([...OLD_LOSS, ...ENTRY.slice(0, 1), TALK]);
  expect(toldNews(NEWS, "counted")).toEqual([...OLD_LOSS, ...ENTRY.slice(0, 2), TALK]);
  expect(toldNews(NEWS, "told")).toEqual(NEWS);
});

test("without a call, all news is told", () => {
  expect(toldNews([...OLD_LOSS, TALK], "called")).toEqual([...OLD_LOSS, TALK]);
});
