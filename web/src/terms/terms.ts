/** The players' words in a text, and one sentence that explains each. */
import { mount, unmount } from "svelte";
import { callLabel, faceName } from "../lib/formatting";
import type { Ruleset } from "../lib/ruleset";
import { t } from "../lib/i18n.svelte";

/** What a word stands for, whatever the table calls it. */
type Term = "challenge" | "exact" | "special_round" | "special_face" | "out_of_turn" | "wild";

/** A part of a text. `term` is null for what needs no explanation. */
interface TextPart {
  text: string;
  term: Term | null;
}

const MARKS = /^[¡!]+|[¡!]+$/g;

/** The words of a table that a newcomer does not know, as they occur in texts, the longest of each term first. */
export function wordsOf(rules: Ruleset | undefined): [Term, string[]][] {
  const words: [Term, string[]][] = [["challenge", [callLabel(rules, "challenge")]]];
  if (rules?.exact_call) words.push(["exact", [callLabel(rules, "exact")]]);
  if (rules?.special_round) words.push(["special_round", withoutMarks(callLabel(rules, "special_round"))]);
  if (rules?.labels.special_face) {
    const face = rules.dice.special_face;
    words.push(["special_face", [faceName(rules, face), faceName(rules, face, 1)]]);
  }
  if (rules?.challenge.who === "anyone_but_bidder") words.push(["out_of_turn", fixedWords("out_of_turn")]);
  if (rules?.wilds.special_is_wild) words.push(["wild", fixedWords("wild")]);
  return words;
}

function withoutMarks(label: string): string[] {
  return [label, label.replace(MARKS, "")];
}

function fixedWords(term: "out_of_turn" | "wild"): string[] {
  return t(`glossary.${term}.words`).split("|");
}

/** A text in parts, each either a word of the table or what stands between two of them. */
export function splitTerms(text: string, rules: Ruleset | undefined): TextPart[] {
  const words = wordsOf(rules).flatMap(([term, forms]) => forms.map((form) => [form, term] as const));
  const terms = new Map(words.map(([form, term]) => [form.toLowerCase(), term]));
  const forms = [...terms.keys()].filter(Boolean).map((form) => form.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  if (forms.length === 0) return [{ text, term: null }];
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(${forms.join("|")})(?![\\p{L}\\p{N}])`, "giu");
  return text
    .split(pattern)
    .map((part, index) => ({ text: part, term: index % 2 === 1 ? (terms.get(part.toLowerCase()) ?? null) : null }))
    .filter((part) => part.text !== "");
}

/** One sentence that explains a word of a table. */
export function explain(term: Term, word: string, rules: Ruleset | undefined): string {
  if (term === "special_round") return t("glossary.special_round", { word: word.replace(MARKS, "") });
  if (term !== "special_face") return t(`glossary.${term}`, { word });
  const face = String(rules?.dice.special_face ?? 1);
  return t(rules?.wilds.special_is_wild ? "glossary.special_face.wild" : "glossary.special_face", { word, face });
}

/** Shows sentences beside the button that was tapped. `title` is their name for screen readers. */
export async function showTerms(opener: HTMLElement, title: string, sentences: readonly string[]): Promise<void> {
  const { default: TermNote } = await import("./TermNote.svelte");
  const note = mount(TermNote, {
    target: opener.closest("dialog") ?? document.body, // nothing outside an open dialog can be reached
    props: {
      opener,
      title,
      sentences,
      close: () => void unmount(note),
    },
  });
}
