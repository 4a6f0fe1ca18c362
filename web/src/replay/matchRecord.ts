/** The record of a finished match: lines of JSON with a header, the seeds of the dice and all events. */
import { t, type Key } from "../lib/i18n.svelte";
import type { MatchStarted } from "../lib/protocol";
import type { GameEvent } from "../lib/gameTypes";

/** The hands of a round by seat. The server sends them only in records. */
export interface Dealt {
  type: "dealt";
  hands: number[][];
}

/** A penalty. `taken` are the positions in the hand of dice that were lost at once. */
export interface Penalised {
  type: "penalised";
  seat: number;
  trigger: "asks_dice_left" | "asks_whose_turn";
  dice: number;
  immediate: boolean;
  taken: number[];
}

export type RecordedEvent = Exclude<GameEvent, { type: "penalty_seen" }> | Dealt | Penalised;

/** The seeds of the dice. `seeds` are by seat, "" for players without one. */
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

/** Says why a record cannot be read. */
export class RecordError extends Error {
  constructor(key: Key, line = 0) {
    super(t(key, { line }));
    this.name = "BadRecord";
  }
}

/** Parses a record. Throws `RecordError`. The events are not validated, as the server has done that. */
export function parseRecord(text: string): MatchRecord {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  if (lines.length === 0) throw new RecordError("replay.empty");
  const objects = lines.map((line, index) => parseLine(line, index + 1));
  if (objects[0]?.record !== "liarsdice_record") throw new RecordError("replay.no_header");
  const hasSeeds = objects[1]?.record === "liarsdice_fairness";
  const events = objects.slice(hasSeeds ? 2 : 1) as unknown as RecordedEvent[];
  const [start] = events;
  if (start?.type !== "match_started") throw new RecordError("replay.no_start");
  return { start, events, fairness: hasSeeds ? (objects[1] as unknown as Fairness) : null };
}

/** Whether a seat had a bot. Only the browsers of people add seeds to the dice. */
export function isBotSeat({ fairness }: MatchRecord, seat: number): boolean {
  return fairness?.seeds[seat] === "";
}

function parseLine(line: string, number: number): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === "object" && value !== null) return value as Record<string, unknown>;
  } catch {
    // reported below
  }
  throw new RecordError("replay.line", number);
}
