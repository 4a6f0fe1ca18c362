/** The form for the options of a table besides its rules. New tables start from the options of the previous one. */
import type { Leaver, Pace, TableConfig } from "../lib/protocol";
import { MAX_SEATS } from "../lib/ruleset";
import { loadLocal, saveLocal } from "../lib/storage";
import { sortChanges, type ChosenRules } from "../rules/rulesUrl";
import { DAY_S } from "../table/countdown.svelte";
import { lineup, STRENGTHS, type Strength } from "./botLineup";
import { PRESET } from "./presets";

export const CLOCKS = ["none", "turn", "bank", "day"] as const;
type ClockKind = (typeof CLOCKS)[number];
/** Limits of the time for a turn and of the reserve, in seconds. */
export const TURN_S = { min: 10, max: 300, step: 5 } as const;
/** The days for a turn at a table whose players play by post. */
export const DAYS = [1, 3, 7, 14] as const;
export const BANK_S = { min: 30, max: 1800, step: 30 } as const;
/** How long the table waits for people to follow. */
export const PACES = ["relaxed", "normal", "quick"] as const;
/** The matches of a series; 1: each match stands alone. */
export const SERIES = [1, 3, 5, 7] as const;
export const LEAVERS = ["bot", "pause", "out"] as const;
/** An old name, kept because browsers have values saved under it. */
const STORAGE_KEY = "manners";

/** The options that are on or off, and all that the form has as an open table has them. */
const SWITCHES = ["hints", "training", "spectators", "open_cups", "approval"] as const;
const SHARED = ["seats", "away", "leaver", "pace", "best_of", ...SWITCHES] as const;
type Shared = Pick<TableConfig, (typeof SHARED)[number]>;

function shared(options: Shared): Shared {
  return Object.fromEntries(SHARED.map((name) => [name, options[name]])) as unknown as Shared;
}

/** The values of the form. */
export class TableFormState {
  title = $state("");
  seats = $state(6);
  botCount = $state(0);
  strength = $state<Strength>("regular");
  clock = $state<ClockKind>("none");
  turn_s = $state<number>(30);
  days = $state<number>(1);
  bank_s = $state<number>(120);
  hints = $state(false);
  training = $state(false);
  spectators = $state(true);
  open_cups = $state(false);
  approval = $state(false);
  #listed = $state(false);
  /** Whether listing the table switched the clock on. */
  #clockByListing = false;
  away = $state<"bot" | "wait">("bot");
  leaver = $state<Leaver>("bot");
  pace = $state<Pace>("normal");
  best_of = $state<TableConfig["best_of"]>(1);

  /** Whether bots have all other seats. */
  get alone(): boolean {
    return this.botCount === this.seats - 1;
  }

  /** Gives all other seats to bots, or to nobody yet. */
  set alone(alone: boolean) {
    if (alone !== this.alone) [this.seats, this.botCount] = alone ? [4, 3] : [6, 0];
  }

  get listed(): boolean {
    return this.#listed;
  }

  /** Lists the table or not. A listed table has a clock, which the host can switch off again. */
  set listed(listed: boolean) {
    this.#listed = listed;
    if (listed && this.clock === "none") {
      this.clock = "bank";
      this.#clockByListing = true;
    } else if (!listed && this.#clockByListing) {
      this.clock = "none";
      this.#clockByListing = false;
    }
  }

  /** Starts from the options of an open table, or from the saved values. */
  constructor(options?: TableConfig) {
    if (options) {
      this.#load(options);
      return;
    }
    this.restore();
  }

  /** Takes the saved values. Returns the rules of the table that was opened with them, null if none was. */
  restore(): ChosenRules | null {
    const saved = loadSaved();
    const { seats, botCount, turn_s, days, bank_s } = saved;
    if (isWithin(seats, 2, MAX_SEATS)) this.seats = seats;
    if (isWithin(botCount, 0, MAX_SEATS - 1)) this.botCount = botCount;
    if (isWithin(turn_s, TURN_S.min, TURN_S.max)) this.turn_s = turn_s;
    this.days = DAYS.find((known) => known === days) ?? 1;
    if (isWithin(bank_s, BANK_S.min, BANK_S.max)) this.bank_s = bank_s;
    this.strength = STRENGTHS.find((known) => known === saved.strength) ?? "regular";
    this.clock = CLOCKS.find((known) => known === saved.clock) ?? "none";
    for (const name of SWITCHES) this[name] = typeof saved[name] === "boolean" ? saved[name] : this[name];
    this.#listed = saved.listed === true;
    this.away = saved.away === "wait" ? "wait" : "bot";
    this.leaver = LEAVERS.find((known) => known === saved.leaver) ?? "bot";
    this.pace = PACES.find((known) => known === saved.pace) ?? "normal";
    this.best_of = SERIES.find((known) => known === saved.best_of) ?? 1;
    const { rules, changes } = saved;
    return typeof rules === "string" && PRESET.test(rules) && isRecord(changes) ? { rules, changes } : null;
  }

  #load(options: TableConfig): void {
    const { title, clock, listed } = options;
    Object.assign(this, shared(options));
    this.title = title;
    this.clock = clockKind(clock);
    if (this.clock === "turn" || this.clock === "bank") this.turn_s = clock.turn_s ?? this.turn_s;
    if (this.clock === "day") this.days = (clock.turn_s ?? DAY_S) / DAY_S;
    this.bank_s = clock.bank_s > 0 ? clock.bank_s : this.bank_s;
    this.#listed = listed;
  }

  /** Limits the seats to what the rules allow, and the bots to the free seats. One seat stays free of them, or none. */
  clampSeats(min: number, max: number): void {
    const { alone } = this;
    this.seats = Math.min(max, Math.max(min, this.seats));
    this.botCount = alone ? this.seats - 1 : Math.min(this.botCount, this.seats - 2);
  }

  /** Saves the values and the rules for the next table. */
  save(rules: ChosenRules): void {
    saveLocal(STORAGE_KEY, this.#text(rules));
  }

  /** Whether the values and the rules are the saved ones. */
  isSaved(rules: ChosenRules): boolean {
    return loadLocal(STORAGE_KEY) === this.#text(rules);
  }

  #text({ rules, changes }: ChosenRules): string {
    const { botCount, strength, clock, turn_s, days, bank_s, listed } = this;
    const own = { botCount, strength, clock, turn_s, days, bank_s, listed };
    return JSON.stringify({ ...shared(this), ...own, rules, changes: sortChanges(changes) });
  }

  /** The bots that the form asks for. */
  get bots(): string[] {
    return lineup(this.strength, this.botCount);
  }

  /** The options as a new table and an open one have them. */
  toRequest(): Shared & Pick<TableConfig, "title" | "clock" | "listed"> {
    const { title, listed } = this;
    const turn_s = this.clock === "none" ? null : this.clock === "day" ? Math.round(this.days * DAY_S) : this.turn_s;
    const bank_s = this.clock === "bank" ? this.bank_s : 0;
    return { ...shared(this), title, clock: { turn_s, bank_s }, listed };
  }
}

function loadSaved(): Record<string, unknown> {
  try {
    const saved: unknown = JSON.parse(loadLocal(STORAGE_KEY) ?? "{}");
    return isRecord(saved) ? saved : {};
  } catch {
    return {};
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function clockKind({ turn_s, bank_s }: TableConfig["clock"]): ClockKind {
  if (turn_s === null) return "none";
  return turn_s >= DAY_S ? "day" : bank_s > 0 ? "bank" : "turn";
}

function isWithin(value: unknown, min: number, max: number): value is number {
  return typeof value === "number" && Number.isInteger(value) && min <= value && value <= max;
}
