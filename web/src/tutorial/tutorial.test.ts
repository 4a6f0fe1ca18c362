import { beforeEach, expect, test, vi, describe } from "vitest";
import { screen } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { BoardState, ROLL_MS } from "../board/boardState.svelte";
import type { PlayerView, PublicMatch, Update, TableForm } from "../lib/protocol";
import { OWN, OWN_IDLE, PLAYERS, RULES, VERDICT, setting, update, SCENARIOS } from "../testing/tableFrames";
import { OUTCOME_MS, revealScore } from "../reveal/revealAnimation.svelte";
import { TableStore } from "../table/tableStore.svelte";
import { TutorialState, type Hint, advise } from "./hints.svelte";
import { withWildOnes, isWarmUp } from "./firstMatch";
import { commands, receive, renderScenario, useTablePage } from "../testing/tablePage";

describe("tutorial state", () => {
  const WARM_UP = setting(true, { wilds: { ...RULES.wilds, special_is_wild: false } });
  const TWO = { players: PLAYERS.slice(0, 2) };

  beforeEach(() => {
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

  function tutorialTable(): { table: TableStore; tutorial: TutorialState } {
    sessionStorage.setItem("liarsdice.tutorial.seen", "");
    const table = new TableStore("FLEA");
    const tutorial = new TutorialState(new BoardState(table));
    table.receive(WARM_UP);
    return { table, tutorial };
  }

  /** Presses the button of each hint, and returns the hints in their order. */
  function seeAll(tutorial: TutorialState): Hint[] {
    const hints: Hint[] = [];
    for (let hint = tutorial.hint; hint !== null && hint !== "twist" && hint !== "end"; hint = tutorial.hint) {
      hints.push(hint);
      tutorial.see(hint);
    }
    return hints;
  }

  test("each hint comes once, when it matters", () => {
    const { table, tutorial } = tutorialTable();
    table.receive(frame({ bids: [], turn: 1 }, OWN_IDLE));
    expect(seeAll(tutorial)).toEqual([]); // a bid is about to move what a hint would point at
    table.receive(frame({ bids: [[1, [1, 4]]], turn: 0 }, OWN));
    expect(seeAll(tutorial)).toEqual(["dice", "bid", "answer"]);
    table.receive(frame({ verdict: VERDICT }, OWN_IDLE));
    expect(seeAll(tutorial)).toEqual(["count"]);
    table.receive(frame({ bids: [[1, [1, 4]]], turn: 0 }, OWN));
    expect(seeAll(tutorial)).toEqual([]);
  });

  test("hints wait for the dice to lie still, and for the end of the reveal", () => {
    vi.stubGlobal("matchMedia", () => ({ matches: false })); // with motion
    vi.useFakeTimers();
    const { table, tutorial } = tutorialTable();
    table.receive(frame({ phase: "deal", round_number: 3, bids: [], turn: null }, { ...OWN_IDLE, hand: [] }));
    table.receive(frame({ bids: [], turn: 0 }, OWN));
    expect([tutorial.board.roll.rolling, tutorial.hint]).toEqual([true, null]);
    vi.advanceTimersByTime(ROLL_MS);
    expect(seeAll(tutorial)).toEqual(["dice", "bid"]);
    table.receive(frame({ verdict: VERDICT }, OWN_IDLE));
    const { doneMs } = revealScore(VERDICT.reveal.hands.length, "normal");
    vi.advanceTimersByTime(doneMs);
    expect([tutorial.board.reveal.done, tutorial.hint]).toEqual([true, null]);
    vi.advanceTimersByTime(OUTCOME_MS);
    expect(tutorial.hint).toBe("count");
    vi.useRealTimers();
  });

  test("who opens is told what a bid is, and how to answer one only when they must", () => {
    const { table, tutorial } = tutorialTable();
    table.receive(frame({ bids: [], turn: 0 }, OWN));
    expect(seeAll(tutorial)).toEqual(["dice", "bid"]);
    table.receive(frame({ bids: [[0, [1, 4]]], turn: 1 }, OWN_IDLE));
    expect(seeAll(tutorial)).toEqual([]);
  });

  test("after the warm-up come wild ones, and the hints of it are not repeated after a reload", () => {
    const { table, tutorial } = tutorialTable();
    table.receive(frame({ bids: [], turn: 1 }, OWN_IDLE));
    tutorial.see("dice");
    table.receive(frame({ phase: "over", turn: null, bids: [] }, OWN_IDLE, "over"));
    expect(tutorial.hint).toBeNull(); // the confetti has not fallen
    tutorial.board.celebrated = true;
    expect(tutorial.hint).toBe("twist");
    const second = { ...WARM_UP, config: withWildOnes(WARM_UP.config) };
    expect(second.config.ruleset.wilds.special_is_wild).toBe(true);
    table.receive(second); // before the match begins
    expect(tutorial.hint).toBe("twist");
    table.receive(frame({ number: 2, bids: [], turn: 0 }, OWN));
    expect(seeAll(new TutorialState(tutorial.board))).toEqual(["wild", "bid"]);
    table.receive(frame({ number: 2, phase: "over", turn: null, bids: [] }, OWN_IDLE, "over"));
    expect(tutorial.hint).toBe("end");
  });
});

type Turn = Parameters<typeof advise>[0];

function turn(bids: [number, number, number][], standing_odds: number | null): Turn {
  return {
    bids: bids.map(([quantity, face]) => [quantity, face]),
    odds: bids.map(([, , odds]) => odds),
    standing_odds,
    may_challenge: standing_odds !== null,
  };
}

test("who opens is advised the highest bid that their own dice prove", () => {
  const advice = advise(turn([[1, 2, 42], [1, 5, 100], [2, 5, 100], [3, 5, 42]], null)); // prettier-ignore
  expect(advice).toEqual({ type: "bid", bid: [2, 5], chance: 100 });
});

test("an unlikely bid is challenged, although a raise would be safe", () => {
  expect(advise(turn([[4, 5, 100]], 49))).toEqual({ type: "call" });
});

test("a likely bid is raised by what the own dice prove", () => {
  expect(advise(turn([[2, 3, 58], [2, 5, 100]], 58))).toEqual({ type: "bid", bid: [2, 5], chance: 100 }); // prettier-ignore
});

test("where no raise is safe, the more likely of call and raise is advised", () => {
  expect(advise(turn([[3, 3, 30], [3, 4, 41]], 60))).toEqual({ type: "bid", bid: [3, 4], chance: 41 }); // prettier-ignore
  expect(advise(turn([[3, 3, 30]], 60))).toEqual({ type: "call" });
  expect(advise(turn([], 80))).toEqual({ type: "call" });
});

test("there is no advice without odds, and none before the turn", () => {
  expect(advise({ ...turn([[1, 2, 42]], null), odds: [] })).toBeNull();
  expect(advise(turn([], null))).toBeNull();
});

describe("first match", () => {
  useTablePage();

  const WARM_UP = setting(true, {
    wilds: { ...RULES.wilds, special_is_wild: false },
    guards: { ...RULES.guards, max_rounds: 2 },
    next_starter: { ...RULES.next_starter, rule: "rotate" },
  });

  function over(changes: Partial<PublicMatch> = {}): ReturnType<typeof update> {
    const own = { ...OWN_IDLE, hand: [], counts: [] };
    const match = { phase: "over" as const, turn: null, places: [1, 2], winners: [0], dice: [3, 2], ...changes };
    return update(match, own, { players: PLAYERS.slice(0, 2), stage: "over" });
  }

  test("the end of a warm-up leads on to the game with wild ones, and says what that is", async () => {
    SCENARIOS.warmUp = [WARM_UP, over()];
    await renderScenario("warmUp");
    expect(await screen.findByText(/In the full game ones are wild/)).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Rematch" })).toBeNull();
    await userEvent.click(screen.getByRole("button", { name: "Go on with wild ones" }));
    expect(commands()).toEqual([{ type: "change", config: withWildOnes(WARM_UP.config) }, { type: "begin" }]);
  });

  test("what own dice mean is told only when they lie still", async () => {
    vi.stubGlobal("matchMedia", () => ({ matches: false })); // with motion
    Element.prototype.animate = vi.fn<Element["animate"]>(); // jsdom has none
    localStorage.setItem("liarsdice.tutorial", "FLEA");
    const own = { ...OWN, odds: OWN.bids.map(() => 100) };
    SCENARIOS.roll = [
      WARM_UP,
      update({ phase: "deal", round_number: 3, turn: null, bids: [] }, { ...OWN_IDLE, hand: [] }, {}, 40),
    ];
    await renderScenario("roll");
    await receive([update({ bids: [], turn: 0, turn_id: 8 }, own, {}, 41)]);
    const tip = await screen.findByText(/you hold that yourself/);
    expect(tip.className).toContain("early");
    await userEvent.click(document.querySelector(".board") ?? document.body); // ends the roll
    expect(tip.className).not.toContain("early");
  });

  test("the last hint leads on to bots by the rules that the newcomer knows", async () => {
    localStorage.setItem("liarsdice.tutorial", "FLEA");
    const forms: TableForm[] = [];
    vi.stubGlobal("fetch", (_: string, init?: RequestInit) => {
      if (!init?.body) return Promise.resolve(Response.json({}, { status: 404 }));
      forms.push(JSON.parse(init.body as string) as TableForm);
      return Promise.resolve(Response.json({ code: "NEXT" }));
    });
    const second = { ...WARM_UP, config: withWildOnes(WARM_UP.config) };
    SCENARIOS.second = [second, over({ number: 2 })];
    await renderScenario("second");
    await userEvent.click(await screen.findByRole("button", { name: "Play against three bots" }));
    expect(forms.map(({ rules }) => rules)).toEqual(["joker"]);
  });

  test("a warm-up may be played again, and the game with wild ones is no warm-up", async () => {
    SCENARIOS.warmUp = [WARM_UP, over()];
    await renderScenario("warmUp");
    await userEvent.click(await screen.findByRole("button", { name: "The warm-up again" }));
    expect(commands()).toEqual([{ type: "begin" }]);
    expect(isWarmUp(WARM_UP.config)).toBe(true);
    const next = withWildOnes(WARM_UP.config);
    expect(isWarmUp(next)).toBe(false);
    expect(next.ruleset.guards.max_rounds).toBeNull();
    expect(next.ruleset.next_starter.rule).toBe("loser");
  });
});
