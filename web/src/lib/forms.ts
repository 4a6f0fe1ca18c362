/** What is asked and answered about rules over HTTP, where a value's type differs by rule (`server/forms.py`). */
import type { Away, Clock } from "./protocol";

/** The value of a rule choice, as a change takes it. */
export type RuleValue = boolean | number | string | null | readonly RuleValue[] | { readonly [key: string]: RuleValue };
export type Changes = Record<string, RuleValue>;

export interface RulesForm {
  rules: string;
  changes: Changes;
  language: string;
}

export interface TableForm {
  name: string;
  rules: string;
  changes: Changes;
  title: string;
  seats: number;
  bots: readonly string[];
  clock: Clock;
  hints: boolean;
  spectators: boolean;
  listed: boolean;
  away: Away;
  begin: boolean;
  seed: string;
}

export interface PresetCard {
  name: string;
  title: string;
  line: string;
  players_min: number;
  players_max: number;
  dice: number;
  options: readonly string[];
}

export interface RuleOption {
  value: RuleValue;
  words: string;
  problem: string;
}

export interface RuleSwitch {
  path: string;
  section: string;
  title: string;
  kind: "switch" | "choice" | "number" | "text";
  value: RuleValue;
  options: readonly RuleOption[];
  least: number | null;
  most: number | null;
  changed: boolean;
}

export interface SentenceSeen {
  key: string;
  text: string;
}

export interface Chart {
  caption: string;
  head: readonly string[];
  rows: readonly (readonly string[])[];
  remarks: readonly string[];
}

export interface SectionSeen {
  key: string;
  title: string;
  sentences: readonly SentenceSeen[];
  chart: Chart | null;
}

export interface RulesSeen {
  rules: string;
  changes: Changes;
  title: string;
  address: string;
  seats: readonly [number, number];
  sections: readonly SectionSeen[];
  switches: readonly RuleSwitch[];
  problems: readonly string[];
  warnings: readonly string[];
}
