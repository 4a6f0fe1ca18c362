import { cleanup, render, screen } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { requireWords, setLanguage } from "../lib/i18n.svelte";
import pages from "../words/pages.json";
import type { WordFile } from "../words/wordFiles";
import Cup from "./Cup.svelte";

let nowMs = 0;

beforeEach(async () => {
  sessionStorage.clear();
  localStorage.clear();
  vi.spyOn(performance, "now").mockImplementation(() => nowMs);
  await requireWords(pages.Cup as WordFile[]);
  await setLanguage("en");
});
afterEach(() => {
  vi.restoreAllMocks();
});

function dice(): string {
  return sessionStorage.getItem("liarsdice.cup.dice") ?? "";
}

async function press(name: string): Promise<void> {
  await userEvent.click(screen.getByRole("button", { name }));
}

test("a double tap rolls once, and another roll needs a confirmation", async () => {
  render(Cup);
  await press("Roll");
  const first = dice();
  expect(first).toMatch(/^[1-6]{5}$/);
  await press("Roll again");
  expect(screen.queryByRole("button", { name: "Tap again to roll all dice again" })).toBeNull();
  nowMs += 2000;
  await press("Roll again");
  await press("Tap again to roll all dice again");
  expect(dice()).toBe(first);
  nowMs += 1000;
  vi.spyOn(crypto, "getRandomValues").mockImplementation((array) => array);
  await press("Tap again to roll all dice again");
  expect(dice()).toBe("11111");
});

test("a reload keeps the roll, and a new number of dice applies to the next roll", async () => {
  render(Cup);
  await press("Roll");
  const first = dice();
  nowMs += 2000;
  cleanup();
  render(Cup);
  await press("Lose a die");
  expect(screen.getByText("From the next roll on.")).toBeTruthy();
  await press("Lift the cup");
  expect(screen.getByText(`Your dice: ${Array.from(first).join(", ")}`)).toBeTruthy();
  await press("Roll again");
  expect(dice()).toHaveLength(4);
});
