/** The words of a table: the names of games and calls. Those of the presets are translated, others stay as they are. */
import { i18n, t, type Key } from "./i18n.svelte";

/** A label in the language of the page, for example "¡Mentira!" for "Liar!". */
export function translateLabel(label: string): string {
  const key = `word.label.${label}`;
  return key in i18n.words ? t(key as Key) : label;
}
