/** Sound effects for changes at the table. */
import { playSound, type Sound } from "../lib/audio";
import type { UiState } from "./uiState.svelte";
import type { BoardState } from "../board/boardState.svelte";
import type { TableStore } from "./tableStore.svelte";

interface Snapshot {
  match: number;
  round: number;
  bids: number;
  revealed: boolean;
  over: boolean;
}

let previous: Snapshot | null = null;

/** Plays the sound of the change since the previous call. Call it after every change. */
export function playSoundEffects(table: TableStore, board: BoardState, ui: UiState): void {
  const current = takeSnapshot(table, board);
  const sound = previous && current ? soundFor(previous, current, table.myTurn) : null;
  previous = current;
  if (sound && ui.soundOn) playSound(sound);
}

function takeSnapshot({ match }: TableStore, { isOver: over }: BoardState): Snapshot | null {
  if (!match) return null;
  const { number, round_number: round, bids, verdict } = match;
  return { match: number, round, bids: bids.length, revealed: verdict !== null, over };
}

function soundFor(previous: Snapshot, current: Snapshot, myTurn: boolean): Sound | null {
  if (current.over && !previous.over) return "win";
  if (current.revealed && !previous.revealed) return "call";
  if (current.match !== previous.match || current.round !== previous.round) return "dice";
  if (current.bids === previous.bids) return null;
  return myTurn ? "turn" : "bid";
}
