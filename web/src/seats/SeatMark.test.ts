import { screen } from "@testing-library/svelte";
import { expect, test } from "vitest";
import { PLAYERS, setting, update, SCENARIOS } from "../testing/tableFrames";
import { renderScenario, useTablePage } from "../testing/tablePage";

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
