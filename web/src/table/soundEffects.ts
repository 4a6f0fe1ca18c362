/** Which sound goes with what has changed at the table. */
import { play, type Sound } from "../lib/audio";
import type { Manners } from "./uiState.svelte";
import type { TableStore } from "./tableStore.svelte";

interface Moment {
  match: number;
  round: number;
  bids: number;
  revealed: boolean;
  over: boolean;
}

let before: Moment | null = null;

/** Sound what has changed; to be called again whenever something has. */
export function sounds(table: TableStore, manners: Manners): void {
  const now = moment(table);
  const sound = before && now ? between(before, now, table.myTurn) : null;
  before = now;
  if (sound && manners.sound) play(sound);
}

function moment({ match, table }: TableStore): Moment | null {
  if (!match) return null;
  const { number, round_number: round, bids, verdict } = match;
  return { match: number, round, bids: bids.length, revealed: verdict !== null, over: table?.stage === "over" };
}

function between(was: Moment, is: Moment, myTurn: boolean): Sound | null {
  if (is.over && !was.over) return "win";
  if (is.revealed && !was.revealed) return "call";
  if (is.match !== was.match || is.round !== was.round) return "dice";
  if (is.bids === was.bids) return null;
  return myTurn ? "turn" : "bid";
}
