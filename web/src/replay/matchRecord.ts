/** A finished match as the server hands it out: JSON lines, a header, the seeds of the dice, and then every event. */
import { t, type Key } from "../lib/i18n.svelte";
import type { MatchStarted } from "../lib/protocol";
import type { GameEvent } from "../lib/gameTypes";

/** All hands of a round, which the table itself never sends. */
export interface Dealt {
  type: "dealt";
  hands: number[][];
}

/** A penalty with the places of the dice that went at once. */
export interface Penalised {
  type: "penalised";
  seat: number;
  trigger: "asks_dice_left" | "asks_whose_turn";
  dice: number;
  immediate: boolean;
  taken: number[];
}

export type RecordedEvent = Exclude<GameEvent, { type: "penalty_seen" }> | Dealt | Penalised;

/** Where the dice come from; seeds by seat, "" where a player gave none. */
export interface Fairness {
  record: "liarsdice_fairness";
  protocol: number;
  code: string;
  number: number;
  commitment: string;
  server_seed: string;
  seeds: string[];
}

export interface MatchRecord {
  start: MatchStarted;
  events: RecordedEvent[];
  fairness: Fairness | null;
}

/** Why a record cannot be read. */
export class RecordError extends Error {
  constructor(key: Key, line = 0) {
    super(t(key, { line }));
    this.name = "BadRecord";
  }
}

/** Read a record. Raises `RecordError`. It is judged no further: the server and the engine do that. */
export function parseRecord(text: string): MatchRecord {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  if (lines.length === 0) throw new RecordError("replay.empty");
  const parts = lines.map((line, place) => parsed(line, place + 1));
  if (parts[0]?.record !== "liarsdice_record") throw new RecordError("replay.no_header");
  const hasSeeds = parts[1]?.record === "liarsdice_fairness";
  const events = parts.slice(hasSeeds ? 2 : 1) as unknown as RecordedEvent[];
  const [start] = events;
  if (start?.type !== "match_started") throw new RecordError("replay.no_start");
  return { start, events, fairness: hasSeeds ? (parts[1] as unknown as Fairness) : null };
}

/** Whether a bot sat there. A record does not say it, but the page of every person adds a seed, and no bot does. */
export function isBotSeat({ fairness }: MatchRecord, seat: number): boolean {
  return fairness?.seeds[seat] === "";
}

function parsed(line: string, number: number): Record<string, unknown> {
  try {
    const part: unknown = JSON.parse(line);
    if (typeof part === "object" && part !== null) return part as Record<string, unknown>;
  } catch {
    // told below
  }
  throw new RecordError("replay.line", number);
}
