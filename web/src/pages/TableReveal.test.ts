import { screen } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { tick } from "svelte";
import { expect, test, vi } from "vitest";
import type { Happened, PublicMatch } from "../lib/protocol";
import { revealScore } from "../reveal/revealAnimation.svelte";
import { update, VERDICT } from "../testing/tableFrames";
import { receive, renderScenario, useTablePage } from "../testing/tablePage";

type NewsEvent = Happened["event"];

useTablePage();

/** The update with a call that ends the match: the bidder is out. */
function lastCall(): ReturnType<typeof update> {
  const BID = { type: "bid" as const, quantity: 9, face: 4 };
  const verdict = {
    ...VERDICT,
    losses: VERDICT.losses.map((loss) => ({ ...loss, left: 0 })),
    out: [2],
    special_seat: 0,
  };
  const events: NewsEvent[] = [
    { type: "challenged", seat: 1, bidder: 2, bid: BID, out_of_turn: false },
    VERDICT.reveal,
    { type: "dice_lost", seat: 2, dice: 2, left: 0, cause: "bid_false", to: null },
    { type: "eliminated", seat: 2 },
    { type: "match_ended", winners: [1], reason: "last_player" },
  ];
  const dice = [5, 5, 0, 3, 4, 2];
  const over = { phase: "over" as const, turn: null, verdict, winners: [1], places: [2, 1], dice, special_seat: 0 };
  const frame = update(over, { hand: [], counts: [] }, { stage: "over" }, 41);
  return { ...frame, news: events.map((event) => ({ seq: 41, at_ms: 0, content: { type: "happened", event } })) };
}

const TELLS_COUNT = /Counted: |Five fours/;
const TELLS_OUTCOME = /Ines (loses|is out)|was (right|wrong)|\bout\b|wins|4 rounds/;

test("a round that its opener declared special stays special while the dice are revealed", async () => {
  vi.stubGlobal("matchMedia", () => ({ matches: false }));
  await renderScenario("turn");
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const call = lastCall();
  const start: NewsEvent[] = [
    {
      type: "round_started",
      number: 9,
      starter: 3,
      dice: [5, 5, 2, 1, 4, 2],
      direction: "clockwise",
      special_seat: null,
    },
    { type: "special_declared", seat: 3 },
  ];
  const earlier = start.map((event) => ({ seq: 41, at_ms: 0, content: { type: "happened" as const, event } }));
  await receive([{ ...call, news: [...earlier, ...call.news] }]);
  expect(document.querySelectorAll(".mustache").length).toBeGreaterThan(0);
});

test("nothing tells the outcome of a call before the reveal has shown it", async () => {
  vi.stubGlobal("matchMedia", () => ({ matches: false }));
  await renderScenario("turn");
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const told: string[] = [];
  const observer = new MutationObserver((changes) => {
    for (const { addedNodes, target } of changes)
      told.push(...[target, ...addedNodes].map((node) => node.textContent ?? ""));
  });
  observer.observe(document.body, { childList: true, characterData: true, subtree: true });
  await receive([lastCall()]);
  expect(told.join("\n")).toContain("Tobias calls: “Liar!”");
  expect(told.join("\n")).not.toMatch(TELLS_COUNT);
  expect(told.join("\n")).not.toMatch(TELLS_OUTCOME);
  expect(document.querySelectorAll(".mustache")).toHaveLength(0);
  expect(screen.getByRole("list", { name: "Your dice" }).children).toHaveLength(5);
  const { lifts, stampMs } = revealScore(6, "normal");
  vi.advanceTimersByTime((lifts.at(-1) ?? 0) + 1);
  await tick();
  expect(told.join("\n")).not.toMatch(TELLS_COUNT);
  vi.advanceTimersByTime(stampMs - (lifts.at(-1) ?? 0));
  await tick();
  expect(screen.getByRole("list", { name: "What was said and done" }).textContent).toMatch(TELLS_COUNT);
  expect(told.join("\n")).not.toMatch(TELLS_OUTCOME);
  vi.useRealTimers();
  await userEvent.click(screen.getByRole("button", { name: "Show everything" }));
  observer.disconnect();
  expect(screen.getByRole("list", { name: "What was said and done" }).textContent).toContain("Ines is out.");
  const announced = document.querySelector("[aria-live=polite].top")?.textContent ?? "";
  expect(announced).toMatch(/Liar.*Counted.*Ines loses.*Ines is out.*Tobias wins/);
});

test("the word of the caller crosses the table, the count is stamped, and a tap skips to the end", async () => {
  vi.stubGlobal("matchMedia", () => ({ matches: false }));
  await renderScenario("turn");
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "requestAnimationFrame", "cancelAnimationFrame"] });
  await receive([lastCall()]);
  expect(document.querySelector(".theatre .word"), "it waits until the table is laid out").toBeNull();
  vi.advanceTimersToNextFrame();
  vi.advanceTimersToNextFrame();
  await tick();
  expect(document.querySelector(".theatre .word")?.textContent).toContain("Liar!");
  expect(document.querySelector(".mark")).toBeNull();
  vi.advanceTimersByTime(revealScore(6, "normal").stampMs + 1);
  await tick();
  expect(document.querySelector(".theatre .stamp")?.textContent).toBe("LIAR");
  expect(document.querySelector(".mark")?.textContent).toBe("LIAR");
  expect(document.querySelector(".rows")).toBeNull();
  for (let rows = 1; rows <= 6; rows += 1) {
    vi.advanceTimersToNextFrame();
    if (rows === 1) vi.advanceTimersToNextFrame();
    await tick();
    expect(document.querySelectorAll(".rows:not(.told) li"), "a row in each frame, and none to be seen").toHaveLength(
      rows,
    );
  }
  vi.useRealTimers();
  await userEvent.click(screen.getByRole("region", { name: "The table" }));
  expect(document.querySelectorAll(".rows.told li")).toHaveLength(6);
  expect(document.querySelector(".theatre")).toBeNull();
  expect(screen.getByRole("list", { name: "What was said and done" }).textContent).toContain("Ines is out.");
});

test("without motion a reveal is shown at once", async () => {
  await renderScenario("turn");
  await receive([lastCall()]);
  expect(document.querySelector(".theatre")).toBeNull();
  expect(document.querySelector(".mark")?.textContent).toBe("LIAR");
  expect(screen.getByRole("button", { name: "The final order" })).toBeTruthy();
});

test("the caller sees the own call and the own loss at the own seat", async () => {
  await renderScenario("turn");
  const verdict = {
    ...VERDICT,
    caller: 0,
    right: false,
    losses: [{ ...VERDICT.losses[0], seat: 0, dice: 2, left: 3 }],
  };
  await receive([update({ verdict, turn: null, phase: "deal" } as Partial<PublicMatch>, {}, {}, 41)]);
  const own = document.querySelector(".own-dice");
  expect(own?.textContent).toContain("Liar!");
  expect(own?.textContent).toContain("−2");
});

test("table talk appears in a bubble at the seat of its speaker", async () => {
  await renderScenario("wait");
  const frame = update({ turn: 1 }, {}, {}, 41);
  const content = { type: "said" as const, player: 2, text: "Nobody has four threes." };
  await receive([{ ...frame, news: [{ seq: 41, at_ms: 0, content }] }]);
  const seat = screen.getByRole("button", { name: "Tobias: more" }).closest("li");
  expect(seat?.textContent).toContain("Nobody has four threes.");
});
