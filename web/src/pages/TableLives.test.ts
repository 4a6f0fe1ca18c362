import { screen } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import type { NewsItem, PublicMatch } from "../lib/protocol";
import { keepSeen } from "../reveal/missedCalls.svelte";
import { OWN_IDLE, PLAYERS, RULES, setting, update, VERDICT, SCENARIOS } from "../testing/tableFrames";
import { receive, renderScenario, useTablePage } from "../testing/tablePage";

const LIVES = { loss: { ...RULES.loss, lives: 3 } };
const LOSS = { ...VERDICT, losses: [{ seat: 2, dice: 1, left: 2, cause: "bid_false" as const, to: 1 }] };
const AFTER_LOSS: Partial<PublicMatch> = { verdict: LOSS, turn: null, phase: "deal", lives: [3, 4, 2, 3, 3, 3] };

/** Opens a table at which everybody has three lives. */
async function openTable(match: Partial<PublicMatch> = {}): Promise<void> {
  SCENARIOS.lives = [setting(true, LIVES), update({ lives: [3, 3, 3, 3, 3, 3], ...match }, OWN_IDLE)];
  await renderScenario("lives");
}

function seatOf(name: string): string {
  return screen.getByRole("button", { name: `${name}: more` }).closest("li")?.textContent ?? "";
}

useTablePage();
beforeEach(() => {
  localStorage.clear();
});

test("the panel after a call tells the lives of who lost some", async () => {
  await openTable();
  await receive([update(AFTER_LOSS, {}, {}, 41)]);
  expect(document.querySelector(".rows .loser")?.textContent).toContain("3 → 2 lives");
});

test("a missed call shows the lives that its players had then", async () => {
  keepSeen("FLEA", 40);
  const lost = (seq: number, left: number): NewsItem[] =>
    [
      { type: "challenged" as const, seat: 1, bidder: 2, bid: VERDICT.reveal.bid, out_of_turn: false },
      VERDICT.reveal,
      { type: "lives_lost" as const, seat: 2, lives: 1, left, cause: "bid_false" as const, to: null },
    ].map((event) => ({ seq, at_ms: 0, content: { type: "happened", event } }));
  const now = { lives: [3, 3, 1, 3, 3, 3] };
  SCENARIOS.lives = [
    setting(true, LIVES),
    { ...update(now, OWN_IDLE, {}, 60), news: [...lost(45, 2), ...lost(52, 1)] },
  ];
  await renderScenario("lives");
  const name = PLAYERS[2]?.name ?? "";
  expect(seatOf(name)).toContain("one life");
  await userEvent.click(await screen.findByRole("button", { name: "See what happened" }));
  await screen.findByRole("button", { name: "The next call" });
  expect(seatOf(name)).toContain("two lives");
});

test("who won a life back is shown as the winner", async () => {
  await openTable({ lives: [2, 3, 3, 3, 3, 3] });
  const gains = [{ seat: 0, dice: 1, left: 3, cause: "exact_right" as const, to: null }];
  const verdict = { ...VERDICT, exact: true, caller: 0, losses: [], gains };
  await receive([update({ ...AFTER_LOSS, verdict, lives: [3, 3, 3, 3, 3, 3] }, {}, {}, 41)]);
  expect(document.querySelector(".rows .winner")?.textContent).toContain("2 → 3 lives");
  expect(document.querySelector(".rows .loser")).toBeNull();
});

test("the lives that a call gives to another player are told once the reveal has shown it", async () => {
  vi.stubGlobal("matchMedia", () => ({ matches: false }));
  await openTable();
  await receive([update(AFTER_LOSS, {}, {}, 41)]);
  expect(seatOf("Tobias")).toContain("three lives");
  await userEvent.click(screen.getByRole("region", { name: "The table" }));
  expect(seatOf("Tobias")).toContain("four lives");
});

test("penalties are owed in lives, and a player with one life left has a special round", async () => {
  await openTable({ pending: [1, 0, 2, 0, 0, 0] });
  expect(screen.getByText("You owe one life at the end of the round")).toBeTruthy();
  expect(seatOf("Ines")).toContain("owes two lives at the end of the round");
  await receive([update({ bids: [], special_seat: 3, starter: 3, turn: 3, turn_id: 46 }, OWN_IDLE, {}, 41)]);
  expect(screen.getByRole("region", { name: "Mustache Round!" }).textContent).toContain("Jun is down to one life.");
});

test("drinks are counted up at the seats, in the panel after a call and in what is owed", async () => {
  const drinks = { ...RULES.loss, lives: "unlimited" as const };
  const labels = { ...RULES.labels, lives: "drinks" };
  const left = 1e12;
  SCENARIOS.lives = [
    setting(true, { loss: drinks, labels }),
    update({ lives: [left, left - 2, left - 1, left, left, left], pending: [0, 0, 2, 0, 0, 0] }, OWN_IDLE),
  ];
  await renderScenario("lives");
  expect(seatOf("Tobias")).toContain("two drinks");
  expect(seatOf("Ines")).toContain("+2");
  const losses = [{ seat: 2, dice: 1, left: left - 2, cause: "bid_false" as const, to: null }];
  const lives = [left, left - 2, left - 2, left, left, left];
  await receive([update({ ...AFTER_LOSS, verdict: { ...VERDICT, losses }, lives }, {}, {}, 41)]);
  expect(document.querySelector(".rows .loser")?.textContent).toContain("1 → 2 drinks");
});

test("a special round of drinks comes one drink before a player is out", async () => {
  SCENARIOS.lives = [
    setting(true, { loss: { ...LIVES.loss, tally: "taken" as const }, labels: { ...RULES.labels, lives: "drinks" } }),
    update({ lives: [3, 3, 3, 1, 3, 3], bids: [], special_seat: 3, starter: 3, turn: 3 }, OWN_IDLE),
  ];
  await renderScenario("lives");
  const banner = screen.getByRole("region", { name: "Mustache Round!" });
  expect(banner.textContent).toContain("Jun is one drink short of being out.");
});
