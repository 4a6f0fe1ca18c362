import { render, screen } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import text from "../replay/signed.fixture.jsonl?raw";
import { parseRecord } from "../replay/matchRecord";
import DeleteMatches from "./DeleteMatches.svelte";
import { MatchDeletion } from "./matchList.svelte";
import { summarizeMatch } from "./matchSummary.svelte";
import { isFinishedRecord } from "./matchStore";
import type { RecordedMatch } from "./historyFile";

const { kept } = vi.hoisted(() => ({ kept: new Map<string, unknown>() }));
vi.mock("./matchStore", async (original) => ({
  ...(await original<object>()),
  deleteMatches: (ids: string[]) => {
    const deleted = ids.map((id) => kept.get(id));
    for (const id of ids) kept.delete(id);
    return Promise.resolve(deleted);
  },
  keepMatches: (recorded: RecordedMatch[]) => {
    for (const entry of recorded) kept.set(entry.match.id, entry);
    return Promise.resolve(recorded.length);
  },
}));

const record = parseRecord(text);
if (!isFinishedRecord(record)) throw new Error("the fixture is a finished match");
const context = { seat: 1, title: "The Wet Boot", rulesName: "basic", rulesBase: "", bots: [null, null, null] };
const match = summarizeMatch(record, { ...context, playedAt: 1_700_000_000_000 });
const other = { ...match, id: "K7P4/2/00", number: 2 };

beforeEach(() => {
  kept.clear();
  for (const each of [match, other]) kept.set(each.id, { match: each, record: text });
});

function renderButtons(): MatchDeletion {
  const deletion = new MatchDeletion(() => Promise.resolve());
  render(DeleteMatches, { matches: [match, other], deletion });
  return deletion;
}

test("all matches are deleted only after a question, and can be brought back", async () => {
  renderButtons();
  await userEvent.click(screen.getByRole("button", { name: "Delete all matches" }));
  expect(screen.getByRole("group").textContent).toContain("Delete all 2 matches from this browser?");
  await userEvent.click(screen.getByRole("button", { name: "Keep them" }));
  expect(kept.size).toBe(2);
  await userEvent.click(screen.getByRole("button", { name: "Delete all matches" }));
  await userEvent.click(screen.getByRole("button", { name: "Delete them" }));
  expect(kept.size).toBe(0);
  expect(screen.getByRole("status").textContent).toBe("2 matches deleted.");
  await userEvent.click(screen.getByRole("button", { name: "Undo" }));
  expect([...kept.keys()]).toEqual([match.id, other.id]);
  expect(screen.getByRole("status").textContent).toBe("Your matches are back.");
});

test("one match is deleted without a question, and the focus is on the way back", async () => {
  const deletion = renderButtons();
  await deletion.delete([other.id]);
  expect([...kept.keys()]).toEqual([match.id]);
  const undo = await screen.findByRole("button", { name: "Undo" });
  expect(document.activeElement).toBe(undo);
});
