/** Rules in the making: what has been chosen, and what the server says that it means. */
import { hand, told } from "../lib/http";
import { speech } from "../lib/i18n.svelte";
import type { RulesForm, RulesSeen, RuleSwitch } from "../lib/protocol";
import { same, type Changes } from "../rules/rulesUrl";

const PAUSE_MS = 140;
export const WASH_MS = 2400;

export class Draft {
  rules = $state("");
  changes = $state.raw<Changes>({});
  seen = $state.raw<RulesSeen | null>(null);
  /** Sentences that were not there before the latest change, as `mark` names them. */
  fresh = $state.raw<readonly string[]>([]);
  /** The same sentences, to be read aloud. */
  news = $state("");
  asking = $state(false);
  error = $state("");

  #asked = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #wash: ReturnType<typeof setTimeout> | undefined;

  constructor(rules: string, changes: Changes = {}) {
    this.rules = rules;
    this.changes = changes;
  }

  /** Whether a table can be opened with what is chosen now. */
  get ready(): boolean {
    return this.seen !== null && !this.asking && this.seen.problems.length === 0 && this.error === "";
  }

  /** Start from other rules; changes made to the old ones are given up. */
  choose(rules: string): void {
    this.rules = rules;
    this.changes = {};
    this.#soon(0);
  }

  set(path: string, value: unknown): void {
    this.changes = { ...this.changes, [path]: value };
    this.#soon(PAUSE_MS);
  }

  /** Set a rule as the chosen ruleset has it, and all inside it. */
  unset(path: string): void {
    const others = Object.entries(this.changes).filter(([key]) => key !== path && !key.startsWith(`${path}.`));
    this.changes = Object.fromEntries(others);
    this.#soon(0);
  }

  /** Set all rules as the chosen ruleset has them. */
  reset(): void {
    this.choose(this.rules);
  }

  /** How a choice stands: as it was just set, or as the server knows it. */
  value(choice: RuleSwitch): unknown {
    const own = this.changes[choice.path];
    return this.asking && own !== undefined ? own : choice.value;
  }

  stop(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#wash);
    this.#asked += 1;
  }

  #soon(pause: number): void {
    this.asking = true;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.ask(), pause);
  }

  /** Ask what the choices mean. An answer that comes after a later question is thrown away. */
  async ask(): Promise<void> {
    clearTimeout(this.#timer);
    const question = ++this.#asked;
    this.asking = true;
    const form: RulesForm = { rules: this.rules, changes: this.changes, language: speech.language };
    try {
      const seen = await hand<RulesSeen>("/api/rules", form);
      if (question === this.#asked) this.#take(seen);
    } catch (error) {
      if (question === this.#asked) this.error = told(error);
    } finally {
      if (question === this.#asked) this.asking = false;
    }
  }

  #take(seen: RulesSeen): void {
    const before = this.seen;
    this.error = "";
    if (seen.problems.length === 0 && !same(this.changes, seen.changes)) this.changes = seen.changes;
    this.seen = seen;
    if (before === null || seen.problems.length > 0) return;
    const known = sentences(before).map(([mark]) => mark);
    const fresh = sentences(seen).filter(([mark]) => !known.includes(mark));
    this.fresh = fresh.map(([mark]) => mark);
    this.news = fresh.map(([, text]) => text).join(" ");
    clearTimeout(this.#wash);
    this.#wash = setTimeout(() => (this.fresh = []), WASH_MS);
  }
}

/** What tells one sentence of a rulebook from another, and from itself with other words. */
export function mark(key: string, text: string): string {
  return `${key}\n${text}`;
}

function sentences(seen: RulesSeen): [mark: string, text: string][] {
  return seen.sections.flatMap((section) =>
    section.sentences.map(({ key, text }): [string, string] => [mark(key, text), text]),
  );
}
