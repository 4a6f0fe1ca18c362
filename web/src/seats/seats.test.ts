import { beforeEach, expect, test, vi, describe } from "vitest";
import { screen } from "@testing-library/svelte";
import type { PublicMatch, Verdict } from "../lib/protocol";
import { TableTalk } from "../voices/tableTalk.svelte";
import { BoardState } from "../board/boardState.svelte";
import { TableStore } from "../table/tableStore.svelte";
import { MATCH, OWN, VERDICT, said, setting, update, PLAYERS, SCENARIOS } from "../testing/tableFrames";
import { saidWord } from "./saidWord";
import { renderScenario, useTablePage } from "../testing/tablePage";
import { lineup, STRENGTHS } from "../setup/botLineup";
import { botDescription, botName, BOTS } from "./botLabels";

describe("table talk", () => {
  beforeEach(() => vi.useFakeTimers());

  test("a bubble shows the latest line of its player for some seconds", () => {
    const talk = new TableTalk();
    const news = [said(1, 2, "old")];
    talk.hear(news, true);
    expect(talk.lines).toEqual({});
    news.push(said(2, 2, "Bold."), said(3, 3, "Hurry up"));
    talk.hear(news, false);
    expect(talk.lines).toEqual({ 2: "Bold.", 3: "Hurry up" });
    vi.advanceTimersByTime(3000);
    talk.hear([...news, said(4, 2, "Nice hand")], false);
    vi.advanceTimersByTime(2000);
    expect(talk.lines).toEqual({ 2: "Nice hand" });
    vi.advanceTimersByTime(5000);
    expect(talk.lines).toEqual({});
  });
});

/** What seats 0 to 3 say in a match. */
function saidIn(match: Partial<PublicMatch>): (string | null)[] {
  const table = new TableStore("FLEA");
  const board = new BoardState(table);
  table.receive(setting());
  table.receive(update({ ...MATCH, ...match }, OWN));
  return [0, 1, 2, 3].map((seat) => saidWord(board, seat));
}

test("a pass is shown at the seat of its player until the next bid", () => {
  const passes: [number, number][] = [
    [1, MATCH.bids.length - 1],
    [2, MATCH.bids.length],
    [3, MATCH.bids.length],
  ];
  expect(saidIn({ passes })).toEqual([null, null, "Pass", "Pass"]);
  expect(saidIn({})).toEqual([null, null, null, null]);
});

test("a reveal shows the word of the caller, and of the doubted pass alone", () => {
  const passes: [number, number][] = [
    [2, MATCH.bids.length],
    [3, MATCH.bids.length],
  ];
  const doubted: Verdict = { ...VERDICT, reveal: { ...VERDICT.reveal, pass_hand: null } };
  expect(saidIn({ passes, verdict: doubted })).toEqual([null, "Liar!", "Pass", null]);
  expect(saidIn({ verdict: { ...VERDICT, exact: true } })).toEqual([null, "Calza!", null, null]);
});

describe("seat mark", () => {
  useTablePage();

  test.each(["playing", "gathering"] as const)("a seat that a program holds is marked while %s", async (stage) => {
    const players = PLAYERS.map((player) => ({ ...player, program: player.id === 2 }));
    SCENARIOS.program = [setting(), update(stage === "playing" ? {} : null, { seat: 0 }, { stage, players })];
    await renderScenario("program", `program-${stage}`);
    const marks = screen.getAllByText("played by a program");
    expect(marks.length).toBeGreaterThan(0);
    for (const mark of marks) expect(mark.closest("li, .name-tag")?.textContent).toContain("Tobias");
  });

  test("no other seat is marked", async () => {
    await renderScenario("gathering");
    expect(screen.queryByText("played by a program")).toBeNull();
  });
});

test("a champion with a temper has a name of its own", () => {
  expect(botName("champion")).toBe("Champion");
  expect(botName("champion:bold")).toBe("Bold champion");
  expect(botDescription("champion:suspicious")).toBe("plays like the champion, and doubts more");
  expect(botName("threshold:0.3")).toBe("Counter");
});

test("an unknown bot keeps the name that the server uses", () => {
  expect(botName("champion@11:bold")).toBe("champion@11:bold");
  expect(botDescription("champion@5")).toBe("");
});

test("every bot that can be chosen has a description", () => {
  const chosen = STRENGTHS.flatMap((strength) => lineup(strength, 4));
  for (const bot of [...BOTS, ...chosen]) expect(botDescription(bot)).not.toBe("");
  expect(new Set(lineup("tempers", 4)).size).toBe(4);
});
