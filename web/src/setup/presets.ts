/** The presets of the server, fetched once for each language. */
import { getJson } from "../lib/http";
import type { Language } from "../lib/i18n.svelte";
import type { PresetCard } from "../lib/protocol";

/** The requests by language. Tests forget them. */
export const requests = new Map<string, Promise<PresetCard[]>>();

/** All presets. Throws `ApiError`; the next call then fetches them again. */
export function fetchPresets(language: Language): Promise<PresetCard[]> {
  const cached = requests.get(language);
  if (cached) return cached;
  const cards = getJson<PresetCard[]>(`/api/presets?language=${language}`);
  requests.set(language, cards);
  cards.catch(() => requests.delete(language));
  return cards;
}

/** The name of a preset without its options: `classic` for `classic+aces`. */
export function presetName(rules: string): string {
  return rules.split("+")[0] ?? rules;
}

/** The options in a preset name: `aces` for `classic+aces`. */
export function presetOptions(rules: string): string[] {
  return rules.split("+").slice(1);
}
