/** The difference between two rulebooks, sentence by sentence. */
import type { RulebookSection } from "../lib/protocol";

/** A section with the sentences that only one of two rulebooks has. */
export interface SectionDiff {
  key: string;
  title: string;
  removed: string[];
  added: string[];
}

/** The sections that differ, in the order of the rulebook `after`; sections that it lacks come last. */
export function diffRulebooks(before: readonly RulebookSection[], after: readonly RulebookSection[]): SectionDiff[] {
  const lost = before.filter(({ key }) => !after.some((section) => section.key === key));
  return [...after, ...lost]
    .map(({ key, title }) => {
      const [old, now] = [textsOf(before, key), textsOf(after, key)];
      const removed = old.filter((text) => !now.includes(text));
      return { key, title, removed, added: now.filter((text) => !old.includes(text)) };
    })
    .filter(({ removed, added }) => removed.length > 0 || added.length > 0);
}

function textsOf(sections: readonly RulebookSection[], key: string): string[] {
  return sections.find((section) => section.key === key)?.sentences.map(({ text }) => text) ?? [];
}
