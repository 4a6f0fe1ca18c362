/** The record of a finished match: lines of JSON with a header, the seeds of the dice and all events. */
import { t, type Key } from "../lib/i18n.svelte";
import type { Dealt, Fairness, MatchStarted, Penalised, RolledAgain } from "../lib/protocol";
import { type GameEvent, sheds, startingLives } from "../lib/ruleset";

/** The server sends the last three only in records. */
export type RecordedEvent = Exclude<GameEvent, { type: "penalty_seen" }> | Dealt | RolledAgain | Penalised;

/** The signature of a record in hexadecimal, and the text before it that it signs. */
export interface SignedText {
  signature: string;
  text: string;
}

export interface MatchRecord {
  start: MatchStarted;
  events: RecordedEvent[];
  fairness: Fairness | null;
  /** The version of the program that wrote the record. */
  engine: string;
  /** The seats of people for whom a bot played when they went out or the match ended. */
  standIns: number[];
  /** The line of `start` as it is in the record. */
  startLine: string;
  signed: SignedText | null;
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
  const isSigned = objects.at(-1)?.record === "liarsdice_signature";
  const first = hasSeeds ? 2 : 1;
  const events = objects.slice(first, isSigned ? -1 : undefined) as unknown as RecordedEvent[];
  const [start] = events;
  if (start?.type !== "match_started") throw new RecordError("replay.no_start");
  return {
    start,
    events,
    fairness: hasSeeds ? (objects[1] as unknown as Fairness) : null,
    engine: String(objects[0].engine),
    standIns: (objects[0].stand_ins ?? []) as number[],
    startLine: lines[first] ?? "",
    signed: isSigned ? { signature: String(objects.at(-1)?.signature), text: beforeLastLine(text) } : null,
  };
}

/** The names of the players beside their results, which are those of a bot where a bot played at the end. */
export function resultNames({ start, standIns }: MatchRecord): string[] {
  return start.names.map((name, seat) => (standIns.includes(seat) ? t("word.by_bot", { name }) : name));
}

/** Whether a seat had a bot. Only the browsers of people commit to seeds for the dice. */
export function isBotSeat({ fairness }: MatchRecord, seat: number): boolean {
  return (fairness?.commitments ?? fairness?.seeds)?.[seat] === "";
}

function beforeLastLine(text: string): string {
  return text.slice(0, text.trimEnd().lastIndexOf("\n") + 1);
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

/** The place of each seat: winners, survivors by their dice or lives, then the others by when they went out. */
export function finalPlaces({ start, events }: MatchRecord): number[] {
  let round = 0;
  const stakes = start.names.map(() => startingLives(start.ruleset) ?? start.ruleset.dice.per_player);
  const ranks = start.names.map(() => 0);
  const safety = sheds(start.ruleset);
  const left = new Set<number>();
  for (const event of events) {
    if (event.type === "round_started") round = event.number;
    else if ("left" in event) {
      stakes[event.seat] = event.left;
      const to = "to" in event ? event.to : null;
      if (to !== null) stakes[to] = (stakes[to] ?? 0) + ("lives" in event ? event.lives : event.dice);
    } else if (event.type === "withdrawn") left.add(event.seat);
    else if (event.type === "eliminated")
      ranks[event.seat] = safety && !left.has(event.seat) ? 1e5 - round : round - 1e6;
    else if (event.type === "match_ended") {
      for (const [seat, rank] of ranks.entries()) if (rank === 0) ranks[seat] = (stakes[seat] ?? 0) * (safety ? -1 : 1);
      for (const seat of event.winners) ranks[seat] = 1e6;
    }
  }
  return ranks.map((rank) => 1 + ranks.filter((other) => other > rank).length);
}
