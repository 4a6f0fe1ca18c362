import { beforeEach, expect, test, vi } from "vitest";
import { BoardState, ROLL_MS } from "../board/boardState.svelte";
import type { PlayerView, PublicMatch, Update } from "../lib/protocol";
import { OWN, OWN_IDLE, PLAYERS, RULES, VERDICT, setting, update } from "../testing/tableFrames";
import { OUTCOME_MS, revealScore } from "../reveal/revealAnimation.svelte";
import { TableStore } from "../table/tableStore.svelte";
import { CoachState, type Hint } from "./coachState.svelte";
import { withWildOnes } from "./firstMatch";

const WARM_UP = setting(true, { wilds: { ...RULES.wilds, special_is_wild: false } });
const TWO = { players: PLAYERS.slice(0, 2) };

beforeEach(() => {
  sessionStorage.clear();
  vi.stubGlobal("matchMedia", () => ({ matches: true })); // no motion
});

let seq = 50;
function frame(
  match: Partial<PublicMatch>,
  own: Partial<PlayerView> = {},
  stage: "playing" | "over" = "playing",
): Update {
  return update({ dice: [3, 3], ...match }, own, { ...TWO, stage }, ++seq);
}

function coached(): { table: TableStore; coach: CoachState } {
  sessionStorage.setItem("liarsdice.coach.seen", "");
  const table = new TableStore("FLEA");
  const coach = new CoachState(new BoardState(table));
  table.receive(WARM_UP);
  return { table, coach };
}

/** Presses the button of each hint, and returns the hints in their order. */
function seeAll(coach: CoachState): Hint[] {
  const hints: Hint[] = [];
  for (let hint = coach.hint; hint !== null && hint !== "twist" && hint !== "end"; hint = coach.hint) {
    hints.push(hint);
    coach.see(hint);
  }
  return hints;
}

test("each hint comes once, when it matters", () => {
  const { table, coach } = coached();
  table.receive(frame({ bids: [], turn: 1 }, OWN_IDLE));
  expect(seeAll(coach)).toEqual([]); // a bid is about to move what a hint would point at
  table.receive(frame({ bids: [[1, [1, 4]]], turn: 0 }, OWN));
  expect(seeAll(coach)).toEqual(["dice", "bid", "answer"]);
  table.receive(frame({ verdict: VERDICT }, OWN_IDLE));
  expect(seeAll(coach)).toEqual(["count"]);
  table.receive(frame({ bids: [[1, [1, 4]]], turn: 0 }, OWN));
  expect(seeAll(coach)).toEqual([]);
});

test("hints wait for the dice to lie still, and for the end of the reveal", () => {
  vi.stubGlobal("matchMedia", () => ({ matches: false })); // with motion
  vi.useFakeTimers();
  const { table, coach } = coached();
  table.receive(frame({ phase: "deal", round_number: 3, bids: [], turn: null }, { ...OWN_IDLE, hand: [] }));
  table.receive(frame({ bids: [], turn: 0 }, OWN));
  expect([coach.board.roll.rolling, coach.hint]).toEqual([true, null]);
  vi.advanceTimersByTime(ROLL_MS);
  expect(seeAll(coach)).toEqual(["dice", "bid"]);
  table.receive(frame({ verdict: VERDICT }, OWN_IDLE));
  const { doneMs } = revealScore(VERDICT.reveal.hands.length, "normal");
  vi.advanceTimersByTime(doneMs);
  expect([coach.board.reveal.done, coach.hint]).toEqual([true, null]);
  vi.advanceTimersByTime(OUTCOME_MS);
  expect(coach.hint).toBe("count");
  vi.useRealTimers();
});

test("who opens is told what a bid is, and how to answer one only when they must", () => {
  const { table, coach } = coached();
  table.receive(frame({ bids: [], turn: 0 }, OWN));
  expect(seeAll(coach)).toEqual(["dice", "bid"]);
  table.receive(frame({ bids: [[0, [1, 4]]], turn: 1 }, OWN_IDLE));
  expect(seeAll(coach)).toEqual([]);
});

test("after the warm-up come wild ones, and the hints of it are not repeated after a reload", () => {
  const { table, coach } = coached();
  table.receive(frame({ bids: [], turn: 1 }, OWN_IDLE));
  coach.see("dice");
  table.receive(frame({ phase: "over", turn: null, bids: [] }, OWN_IDLE, "over"));
  expect(coach.hint).toBe("twist");
  const second = { ...WARM_UP, config: withWildOnes(WARM_UP.config) };
  expect(second.config.ruleset.wilds.special_is_wild).toBe(true);
  table.receive(second); // before the match begins
  expect(coach.hint).toBe("twist");
  table.receive(frame({ number: 2, bids: [], turn: 0 }, OWN));
  expect(seeAll(new CoachState(coach.board))).toEqual(["wild", "bid"]);
  table.receive(frame({ number: 2, phase: "over", turn: null, bids: [] }, OWN_IDLE, "over"));
  expect(coach.hint).toBe("end");
});
