/** Rules that a player is editing, with the rulebook that the server writes for them. */
import { postJson, errorText } from "../lib/http";
import { i18n } from "../lib/i18n.svelte";
import type { RulesForm, RulesResponse, RuleField } from "../lib/protocol";
import { sameValue, type Changes } from "../rules/rulesUrl";

const DEBOUNCE_MS = 140;
/** How long changed sentences are highlighted. */
const HIGHLIGHT_MS = 2400;

/** A preset with changes. Every change fetches the rulebook again. */
export class RulesDraft {
  /** The preset with its options. */
  rules = $state("");
  changes = $state.raw<Changes>({});
  /** The latest answer of the server. */
  preview = $state.raw<RulesResponse | null>(null);
  /** The keys, by `sentenceKey`, of the sentences that the latest change added or rewrote. */
  changedSentences = $state.raw<readonly string[]>([]);
  /** The text of these sentences, for screen readers. */
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

  /** Whether a table can be opened with these rules. */
  get ready(): boolean {
    return this.preview !== null && !this.loading && this.preview.problems.length === 0 && this.error === "";
  }

  /** Switches to another preset with other changes, or none. */
  choose(rules: string, changes: Changes = {}): void {
    this.rules = rules;
    this.changes = changes;
    this.#scheduleRefresh(0);
  }

  /** Changes one rule. */
  set(path: string, value: unknown): void {
    this.changes = { ...this.changes, [path]: value };
    this.#scheduleRefresh(DEBOUNCE_MS);
  }

  /** Resets a rule and all rules inside it to the preset. */
  unset(path: string): void {
    const others = Object.entries(this.changes).filter(([key]) => key !== path && !key.startsWith(`${path}.`));
    this.changes = Object.fromEntries(others);
    this.#scheduleRefresh(0);
  }

  /** Resets all rules to the preset. */
  reset(): void {
    this.choose(this.rules);
  }

  /** The current value of a rule: as just set, or as the server sent it. */
  value(choice: RuleField): unknown {
    const changed = this.changes[choice.path];
    return this.loading && changed !== undefined ? changed : choice.value;
  }

  /** Cancels all timers and requests. */
  stop(): void {
    clearTimeout(this.#refreshTimer);
    clearTimeout(this.#highlightTimer);
    this.#requestCount += 1;
  }

  #scheduleRefresh(delayMs: number): void {
    this.loading = true;
    this.#requestCount += 1; // an answer that is still on its way knows nothing of this change
    clearTimeout(this.#refreshTimer);
    this.#refreshTimer = setTimeout(() => void this.refresh(), delayMs);
  }

  /** Fetches the rulebook. Answers to outdated requests are ignored. */
  async refresh(): Promise<void> {
    clearTimeout(this.#refreshTimer);
    const request = ++this.#requestCount;
    this.loading = true;
    const form: RulesForm = { rules: this.rules, changes: this.changes, language: i18n.language };
    try {
      const preview = await postJson<RulesResponse>("/api/rules", form);
      if (request === this.#requestCount) this.#apply(preview);
    } catch (error) {
      if (request === this.#requestCount) this.error = errorText(error);
    } finally {
      if (request === this.#requestCount) this.loading = false;
    }
  }

  #apply(preview: RulesResponse): void {
    const previous = this.preview;
    this.error = "";
    if (preview.problems.length === 0 && !sameValue(this.changes, preview.changes)) this.changes = preview.changes;
    this.preview = preview;
    if (previous === null || preview.problems.length > 0) return;
    const knownKeys = sentences(previous).map(([key]) => key);
    const changed = sentences(preview).filter(([key]) => !knownKeys.includes(key));
    this.changedSentences = changed.map(([key]) => key);
    this.announcement = changed.map(([, text]) => text).join(" ");
    clearTimeout(this.#highlightTimer);
    this.#highlightTimer = setTimeout(() => (this.changedSentences = []), HIGHLIGHT_MS);
  }
}

/** Identifies a sentence of a rulebook together with its wording. */
export function sentenceKey(key: string, text: string): string {
  return `${key}\n${text}`;
}

function sentences(preview: RulesResponse): [key: string, text: string][] {
  return preview.sections.flatMap((section) =>
    section.sentences.map(({ key, text }): [string, string] => [sentenceKey(key, text), text]),
  );
}

/** A part of a sentence. `path` is that of the field whose title it is, null for other text. */
interface TextPart {
  text: string;
  path: string | null;
}

const QUOTED = /(“[^”]+”|«[^»]+»)/;

/** The parts of a sentence. A title may be preceded by that of its group: “Exact call: Minimum players”. */
export function linkFields(sentence: string, fields: readonly RuleField[]): TextPart[] {
  return sentence
    .split(QUOTED)
    .filter((text) => text !== "")
    .map((text) => {
      const title = QUOTED.test(text) ? text.slice(1, -1) : "";
      const field =
        fields.find((known) => known.title === title) ??
        (title.includes(": ") ? fields.find((known) => known.title === title.split(": ").slice(1).join(": ")) : null);
      return { text, path: field?.path ?? null };
    });
}

/** Shows the control of a field: opens what it lies in, scrolls to it and focuses it. */
export function showField(path: string): void {
  const control = document.querySelector(`[data-path="${CSS.escape(path)}"]`);
  for (let parent = control?.parentElement; parent; parent = parent.parentElement)
    if (parent instanceof HTMLDetailsElement) parent.open = true;
  control?.scrollIntoView({ block: "center" });
  control?.querySelector<HTMLElement>("input:not(:disabled), select, button, summary")?.focus({ preventScroll: true });
}
