/** Offers calls that came while the page was closed or hidden, as they do at a table with a day for each turn. */
import { untrack } from "svelte";
import type { BoardState } from "../board/boardState.svelte";
import type { TableStore } from "../table/tableStore.svelte";
import { keepSeen, pastCalls, seenSeq } from "./missedCalls";

const MOST = 6;

/** Offers what the player has missed whenever they come back to the table. Call it in an effect. */
export function offerMissedCalls(table: TableStore, board: BoardState): void {
  let hidden = $state(document.hidden);
  let returns = true;
  $effect(() => {
    const follow = (): void => {
      hidden = document.hidden;
    };
    document.addEventListener("visibilitychange", follow);
    return () => {
      document.removeEventListener("visibilitychange", follow);
    };
  });
  $effect(() => {
    const { seq } = table;
    if (hidden) returns = true;
    if (hidden || seq === 0 || table.own.player === null) return;
    untrack(() => {
      if (returns) offer(table, board);
      returns = false;
      keepSeen(table.code, seq);
    });
  });
}

function offer(table: TableStore, board: BoardState): void {
  const seen = seenSeq(table.code);
  if (seen === null) return;
  const calls = pastCalls(table.news);
  // the board shows the latest call until the next round begins
  if (board.reveal.verdict) calls.pop();
  board.missedCalls = calls.filter((call) => call.seq > seen).slice(-MOST);
}
