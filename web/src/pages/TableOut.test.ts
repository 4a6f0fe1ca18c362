/** What a player who is out sees and may do. */
import { screen, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { OWN_IDLE, setting, update, VERDICT, SCENARIOS } from "../testing/tableFrames";
import { commands, receive, renderScenario, useTablePage } from "../testing/tablePage";

useTablePage();

const OUT = { dice: [0, 3, 2, 0, 1, 2], turn: 2, bids: [] };
const OUT_OWN = { ...OWN_IDLE, hand: [], counts: [], may_guess: true };
const CUPS = [[], [2, 3, 3], [5, 5], [], [6], [1, 4]];

test("a player who is out sees all cups only if the server sends them", async () => {
  SCENARIOS.closed = [setting(), update(OUT, OUT_OWN)];
  await renderScenario("closed");
  const seats = screen.getByRole("list", { name: /^The others/ });
  expect(within(seats).queryAllByRole("img", { name: /die showing/ })).toHaveLength(0);
  expect(screen.getByText("You are out. You see the dice when somebody calls.")).toBeTruthy();
  await receive([update(OUT, { ...OUT_OWN, cups: CUPS }, {}, 41)]);
  expect(within(seats).queryAllByRole("img", { name: /die showing/ })).toHaveLength(8);
  expect(screen.getByText("You are out, and see all cups.")).toBeTruthy();
});

test("a player who is out guesses the next call, and reads the points after it", async () => {
  SCENARIOS.guess = [setting(), update(OUT, OUT_OWN)];
  await renderScenario("guess");
  const panel = screen.getByRole("region", { name: "Guess the next call" });
  expect(within(panel).getAllByRole("radio")).toHaveLength(4); // those with dice
  await userEvent.click(within(panel).getByRole("radio", { name: /Ines/ }));
  await userEvent.click(within(panel).getByRole("button", { name: "…and is wrong" }));
  expect(commands()).toEqual([{ type: "guess_call", caller: 2, right: false }]);
  const guess = { seat: 0, caller: 2, right: false };
  await receive([update(OUT, { ...OUT_OWN, may_guess: false, guess }, {}, 41)]);
  expect(within(panel).getByText("You guess: Ines calls, and is wrong.")).toBeTruthy();
  expect(within(panel).queryByRole("radio")).toBeNull();
  const after = { ...OUT, turn: null, phase: "deal" as const, verdict: VERDICT, guess_points: [2, 0, 0, 0, 0, 0] };
  await receive([update(after, { ...OUT_OWN, may_guess: false, guess }, {}, 42)]);
  expect(screen.getByText("You guess: Ines calls, and is wrong. 2 points")).toBeTruthy();
});
