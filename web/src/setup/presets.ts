/** The rulesets that have a name, as cards; asked for once a language. */
import { ask } from "../lib/http";
import type { Language } from "../lib/i18n.svelte";
import type { PresetCard } from "../lib/protocol";

const asked = new Map<string, Promise<PresetCard[]>>();

/** The cards in a language. Raises `Refused`, and asks anew the next time. */
export function presets(language: Language): Promise<PresetCard[]> {
  const known = asked.get(language);
  if (known) return known;
  const cards = ask<PresetCard[]>(`/api/presets?language=${language}`);
  asked.set(language, cards);
  cards.catch(() => asked.delete(language));
  return cards;
}

/** The name of a preset without its options: of `classic+aces`, `classic`. */
export function plainName(rules: string): string {
  return rules.split("+")[0] ?? rules;
}

/** The options that a name of rules switches on. */
export function optionsOf(rules: string): string[] {
  return rules.split("+").slice(1);
}
