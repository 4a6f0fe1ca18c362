import { screen } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import type { PublicMatch, TableForm } from "../lib/protocol";
import { OWN, OWN_IDLE, PLAYERS, RULES, setting, update, SCENARIOS } from "../testing/tableFrames";
import { commands, receive, renderScenario, useTablePage } from "../testing/tablePage";
import { isWarmUp, withWildOnes } from "./firstMatch";

useTablePage();
beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
});

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
  localStorage.setItem("liarsdice.coach", "FLEA");
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
  localStorage.setItem("liarsdice.coach", "FLEA");
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
