/** Voices, rolls and sounds on the page of a table. */
import { screen, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { EMOTES } from "../voices/tableTalk.svelte";
import { OWN_IDLE, update, VERDICT } from "../testing/tableFrames";
import { commands, receive, renderScenario, useTablePage } from "../testing/tablePage";

useTablePage();

test("the key E opens the emotes beside the own dice, and Enter sends one", async () => {
  await renderScenario("turn");
  const dice = screen.getByRole("region", { name: "The table" });
  expect(within(dice).queryByRole("group", { name: "Emotes" })).toBeNull();
  await userEvent.keyboard("e");
  const row = within(dice).getByRole("group", { name: "Emotes" });
  expect(within(row).getAllByRole("button")).toHaveLength(6);
  expect(document.activeElement).toBe(within(row).getByRole("button", { name: "Laugh" }));
  await userEvent.keyboard("{Tab}{Enter}");
  expect(commands()).toEqual([{ type: "say", text: EMOTES.gasp }]);
  expect(within(dice).queryByRole("group", { name: "Emotes" })).toBeNull();
  await userEvent.keyboard("e{Escape}");
  expect(within(dice).queryByRole("group", { name: "Emotes" })).toBeNull();
  expect(document.activeElement).toBe(within(dice).getByRole("button", { name: "Emotes (E)" }));
});

test("a long press on the own dice opens the emotes, and a short one does not", async () => {
  await renderScenario("turn");
  const board = screen.getByRole("region", { name: "The table" });
  const tray = board.querySelector(".tray");
  vi.useFakeTimers();
  const press = (type: string): void => {
    tray?.dispatchEvent(new MouseEvent(type, { bubbles: true, button: 0 }));
  };
  press("pointerdown");
  vi.advanceTimersByTime(300);
  press("pointerup");
  await vi.advanceTimersByTimeAsync(1000);
  expect(within(board).queryByRole("group", { name: "Emotes" })).toBeNull();
  press("pointerdown");
  await vi.advanceTimersByTimeAsync(500);
  expect(within(board).getByRole("group", { name: "Emotes" })).toBeTruthy();
});

test("an emote is a picture at the seat and in the log, where a screen reader reads its name", async () => {
  await renderScenario("wait");
  const said = { type: "said", player: 3, text: EMOTES.cheers } as const;
  const frame = update({ turn: 1 }, OWN_IDLE, {}, 41);
  await receive([{ ...frame, news: [...frame.news, { seq: 41, at_ms: 0, content: said }] }]);
  const seats = screen.getByRole("list", { name: /^The others/ });
  expect(seats.querySelector(".emote svg")).toBeTruthy();
  expect(seats.textContent).not.toContain(EMOTES.cheers);
  const log = screen.getByRole("list", { name: "What was said and done" });
  expect(log.querySelector("li:last-child .emote-face")).toBeTruthy();
  expect(log.textContent).toMatch(/Cheers\s*$/);
});

test("a roll without motion leaves the dice where they are, and the cup is no button in a reveal", async () => {
  await renderScenario("turn");
  const cup = screen.getByRole("button", { name: "Shake the cup (R)" });
  await userEvent.click(cup);
  await userEvent.keyboard("r");
  expect(document.querySelector(".throw")).toBeNull();
  expect(within(screen.getByRole("list", { name: "Your dice" })).getAllByRole("img")).toHaveLength(5);
  expect(commands()).toEqual([]); // the server hears nothing of it
  await receive([update({ turn: null, phase: "deal", verdict: VERDICT }, OWN_IDLE, {}, 41)]);
  expect(screen.getByRole("button", { name: "Shake the cup (R)" })).toHaveProperty("disabled", true);
});

test("the volume is kept in this browser", async () => {
  await renderScenario("turn");
  await userEvent.click(screen.getByRole("button", { name: "Table menu" }));
  const slider = await screen.findByRole("slider", { name: "Volume" });
  (slider as HTMLInputElement).value = "30";
  slider.dispatchEvent(new Event("input", { bubbles: true }));
  slider.dispatchEvent(new Event("change", { bubbles: true }));
  expect(localStorage.getItem("liarsdice.volume")).toBe("30");
});
