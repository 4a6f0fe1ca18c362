import { screen } from "@testing-library/svelte";
import { expect, test } from "vitest";
import { keepCommitment } from "../lib/seeds";
import { setting, update, SCENARIOS } from "../testing/tableFrames";
import { Socket, receive, renderScenario, useTablePage } from "../testing/tablePage";

useTablePage();

const NONE = { commitments: ["", "", "", "", "", ""], revealed: [] };

test.each([
  ["that the server left a confirmed seed out", true, NONE, /left your seed/],
  ["that the server never asked for a confirmed seed", true, null, /rolled without your seed/],
  ["nothing if the seed came after the match had begun", false, NONE, null],
])("the player learns %s", async (name, confirmed, seeds, warning) => {
  await renderScenario("gathering", name); // the browser keeps what it knows of each table
  const { id } = JSON.parse(Socket.latest?.sent.at(-1) ?? "{}") as { id: string };
  if (confirmed) await receive([{ type: "done", id, seq: 41 }]);
  await receive([update({ phase: "deal", seeds }, { seat: 0 }, {}, 50)]);
  if (!confirmed) await receive([{ type: "done", id, seq: 51 }]);
  expect(screen.queryByText(/your seed/)?.textContent ?? "").toMatch(warning ?? /^$/);
  await receive([update({ phase: "deal", seeds: null, turn_id: 2 }, { seat: 0 }, {}, 52)]);
  if (warning) expect(screen.getByText(warning)).toBeTruthy();
});

test("a page that was connected after the dice were rolled says so, and accuses nobody", async () => {
  keepCommitment("LATE", 1, "c".repeat(64));
  SCENARIOS.late = [setting(), update({ phase: "bidding", seeds: null }, { seat: 0 })];
  await renderScenario("late", "late");
  const notice = screen.getByText(/before this page was connected/);
  expect(notice.className).not.toContain("bad");
  await receive([update({ phase: "bidding", seeds: null, turn_id: 3 }, { seat: 0 }, {}, 60)]);
  expect(screen.getByText(/before this page was connected/)).toBeTruthy();
});
