/** Rules in the making: what has been chosen, and what the server says that it means. */
import { postJson, errorText } from "../lib/http";
import { i18n } from "../lib/i18n.svelte";
import type { RulesForm, RulesSeen, RuleSwitch } from "../lib/protocol";
import { sameValue, type Changes } from "../rules/rulesUrl";

const DEBOUNCE_MS = 140;
export const HIGHLIGHT_MS = 2400;

export class RulesDraft {
  rules = $state("");
  changes = $state.raw<Changes>({});
  preview = $state.raw<RulesSeen | null>(null);
  /** Sentences that were not there before the latest change, as `mark` names them. */
  changedSentences = $state.raw<readonly string[]>([]);
  /** The same sentences, to be read aloud. */
  announcement = $state("");
  loading = $state(false);
  error = $state("");

  #requestCount = 0;
  #refreshTimer: ReturnType<typeof setTimeout> | undefined;
  #highlightTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(rules: string, changes: Changes = {}) {
    this.rules = rules;
    this.changes = changes;
  }

  /** Whether a table can be opened with what is chosen now. */
  get ready(): boolean {
    return this.preview !== null && !this.loading && this.preview.problems.length === 0 && this.error === "";
  }

  /** Start from other rules; changes made to the old ones are given up. */
  choose(rules: string): void {
    this.rules = rules;
    this.changes = {};
    this.#scheduleRefresh(0);
  }

  set(path: string, value: unknown): void {
    this.changes = { ...this.changes, [path]: value };
    this.#scheduleRefresh(DEBOUNCE_MS);
  }

  /** Set a rule as the chosen ruleset has it, and all inside it. */
  unset(path: string): void {
    const others = Object.entries(this.changes).filter(([key]) => key !== path && !key.startsWith(`${path}.`));
    this.changes = Object.fromEntries(others);
    this.#scheduleRefresh(0);
  }

  /** Set all rules as the chosen ruleset has them. */
  reset(): void {
    this.choose(this.rules);
  }

  /** How a choice stands: as it was just set, or as the server knows it. */
  value(choice: RuleSwitch): unknown {
    const own = this.changes[choice.path];
    return this.loading && own !== undefined ? own : choice.value;
  }

  stop(): void {
    clearTimeout(this.#refreshTimer);
    clearTimeout(this.#highlightTimer);
    this.#requestCount += 1;
  }

  #scheduleRefresh(pause: number): void {
    this.loading = true;
    clearTimeout(this.#refreshTimer);
    this.#refreshTimer = setTimeout(() => void this.refresh(), pause);
  }

  /** Ask what the choices mean. An answer that comes after a later request is thrown away. */
  async refresh(): Promise<void> {
    clearTimeout(this.#refreshTimer);
    const request = ++this.#requestCount;
    this.loading = true;
    const form: RulesForm = { rules: this.rules, changes: this.changes, language: i18n.language };
    try {
      const seen = await postJson<RulesSeen>("/api/rules", form);
      if (request === this.#requestCount) this.#apply(seen);
    } catch (error) {
      if (request === this.#requestCount) this.error = errorText(error);
    } finally {
      if (request === this.#requestCount) this.loading = false;
    }
  }

  #apply(seen: RulesSeen): void {
    const before = this.preview;
    this.error = "";
    if (seen.problems.length === 0 && !sameValue(this.changes, seen.changes)) this.changes = seen.changes;
    this.preview = seen;
    if (before === null || seen.problems.length > 0) return;
    const known = sentences(before).map(([mark]) => mark);
    const fresh = sentences(seen).filter(([mark]) => !known.includes(mark));
    this.changedSentences = fresh.map(([mark]) => mark);
    this.announcement = fresh.map(([, text]) => text).join(" ");
    clearTimeout(this.#highlightTimer);
    this.#highlightTimer = setTimeout(() => (this.changedSentences = []), HIGHLIGHT_MS);
  }
}

/** What tells one sentence of a rulebook from another, and from itself with other words. */
export function sentenceKey(key: string, text: string): string {
  return `${key}\n${text}`;
}

function sentences(seen: RulesSeen): [mark: string, text: string][] {
  return seen.sections.flatMap((section) =>
    section.sentences.map(({ key, text }): [string, string] => [sentenceKey(key, text), text]),
  );
}
