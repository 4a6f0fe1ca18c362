/** The rulesets that have a name, as cards; asked for once a language. */
import { getJson } from "../lib/http";
import type { Language } from "../lib/i18n.svelte";
import type { PresetCard } from "../lib/protocol";

const asked = new Map<string, Promise<PresetCard[]>>();

/** The cards in a language. Raises `Refused`, and asks anew the next time. */
export function fetchPresets(language: Language): Promise<PresetCard[]> {
  const known = asked.get(language);
  if (known) return known;
  const cards = getJson<PresetCard[]>(`/api/presets?language=${language}`);
  asked.set(language, cards);
  cards.catch(() => asked.delete(language));
  return cards;
}

/** The name of a preset without its options: of `classic+aces`, `classic`. */
export function presetName(rules: string): string {
  return rules.split("+")[0] ?? rules;
}

/** The options that a name of rules switches on. */
export function presetOptions(rules: string): string[] {
  return rules.split("+").slice(1);
}
