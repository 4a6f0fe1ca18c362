import { screen } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { OWN_IDLE, PLAYERS, RULES, setting, update } from "../testing/tableFrames";
import { SCENARIOS } from "../testing/tableScenarios";
import { commands, renderScenario, useTablePage } from "../testing/tablePage";
import { isWarmUp, withWildOnes } from "./firstMatch";

useTablePage();

const WARM_UP = setting(true, {
  wilds: { ...RULES.wilds, special_is_wild: false },
  guards: { ...RULES.guards, max_rounds: 2 },
  next_starter: { ...RULES.next_starter, rule: "rotate" },
});

function over(): ReturnType<typeof update> {
  const own = { ...OWN_IDLE, hand: [], counts: [] };
  const match = { phase: "over" as const, turn: null, places: [0, 1], winners: [0], dice: [3, 2] };
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
