/** Finds the fields of the form that a sentence about rules quotes by their titles. */
import type { RuleField } from "../lib/protocol";

/** A part of a sentence. `path` is that of the field whose title it is, null for other text. */
export interface TextPart {
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
