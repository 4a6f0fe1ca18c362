/** Sound effects for changes at the table. */
import { playSound } from "../lib/audio";
import type { Sound } from "../lib/soundWaves";
import type { BoardState } from "../board/boardState.svelte";
import type { TableStore } from "./tableStore.svelte";

interface Snapshot {
  match: number;
  round: number;
  bids: number;
  revealed: boolean;
  /** How far the reveal that is animated has come. */
  lifted: number;
  awaited: boolean;
  stamped: boolean;
  told: boolean;
  announced: boolean;
  over: boolean;
}

let previous: Snapshot | null = null;

/** Plays the sound of the change since the previous call. Call it after every change. */
export function playSoundEffects(table: TableStore, board: BoardState): void {
  const current = takeSnapshot(table, board);
  if (previous && current) {
    const sound = soundFor(previous, current, table.myTurn);
    if (sound) playSound(sound, sound === "lift" ? current.lifted : 0);
  }
  previous = current;
}

function takeSnapshot({ match }: TableStore, board: BoardState): Snapshot | null {
  if (!match) return null;
  const { number, round_number: round, bids, verdict } = match;
  const { score, liftedCount: lifted, liftOrder, stamped, done: told } = board.reveal;
  return {
    match: number,
    round,
    bids: bids.length,
    revealed: verdict !== null,
    lifted,
    awaited: score !== null && lifted === liftOrder.length - 1,
    stamped,
    told: told && verdict !== null && verdict.losses.length > 0,
    announced: board.announcesSpecialRound,
    over: board.isOver,
  };
}

function soundFor(before: Snapshot, now: Snapshot, myTurn: boolean): Sound | null {
  if (now.over && !before.over) return "win";
  if (now.revealed && !before.revealed) return "call";
  if (now.told && !before.told) return "fall";
  if (now.stamped && !before.stamped) return "stamp";
  if (now.awaited && !before.awaited) return "heart";
  if (now.lifted > before.lifted) return "lift";
  if (now.announced && !before.announced) return "plank";
  if (now.match !== before.match || now.round !== before.round) return "cup";
  if (now.bids === before.bids) return null;
  return myTurn ? "turn" : "bid";
}
