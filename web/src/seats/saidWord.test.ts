import { expect, test } from "vitest";
import { BoardState } from "../board/boardState.svelte";
import type { PublicMatch, Verdict } from "../lib/protocol";
import { TableStore } from "../table/tableStore.svelte";
import { MATCH, OWN, VERDICT, setting, update } from "../testing/tableFrames";
import { saidWord } from "./saidWord";

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
