/** The games to choose from: the presets of the server, fetched once for each language, and those of this browser. */
import { getJson } from "../lib/http";
import type { Language } from "../lib/i18n.svelte";
import type { PresetCard, RulesResponse, SheetCard } from "../lib/protocol";
import { keep, kept } from "../lib/storage";
import { changesFromQuery, type ChosenRules } from "../rules/rulesUrl";

/** A preset with its options. */
export const PRESET = /^[a-z0-9+-]{1,80}$/;

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

/** The presets and rule sheets that a search finds. Throws `ApiError`. */
export function searchGames(search: string, language: Language, signal: AbortSignal): Promise<SheetCard[]> {
  return getJson<SheetCard[]>(`/api/games?${new URLSearchParams({ search, language }).toString()}`, signal);
}

/** The name of a preset without its options: `classic` for `classic+aces`. */
export function presetName(rules: string): string {
  return rules.split("+")[0] ?? rules;
}

/** The options in a preset name: `aces` for `classic+aces`. */
export function presetOptions(rules: string): string[] {
  return rules.split("+").slice(1);
}

/** Changed rules that a table was opened with. `address` is the path of their rule sheet, which others can open, too. */
export interface OwnGame extends ChosenRules {
  name: string;
  address: string;
}

const OWN_GAMES = "games";
const CHANGED_SHEET = /^\/rules\/([a-z0-9%B-]+)\?(.+)$/;

/** The changed rules that tables were opened with in this browser, the latest first. */
export function ownGames(): OwnGame[] {
  return Object.entries(kept(OWN_GAMES))
    .flatMap(([name, address]) => {
      const [, encoded = "", query = ""] = CHANGED_SHEET.exec(address) ?? [];
      const rules = new URLSearchParams(`rules=${encoded}`).get("rules") ?? "";
      const changes = changesFromQuery(new URLSearchParams(query));
      return PRESET.test(rules) && Object.keys(changes).length > 0 ? [{ name, address, rules, changes }] : [];
    })
    .reverse();
}

/** Keeps changed rules, under the name that they had before, else the one that the players gave them or what changed. */
export function keepGame({ address, title, changes, fields }: RulesResponse): void {
  if (Object.keys(changes).length === 0) return;
  const known = ownGames().find((game) => game.address === address);
  const changed = fields.filter((field) => field.changed && field.path !== "labels.game");
  const told = changed.map((field) =>
    field.kind === "number" ? `${field.title} ${String(field.value)}` : field.title,
  );
  const isNamed = "labels.game" in changes || told.length === 0;
  keep(OWN_GAMES, known?.name ?? (isNamed ? title : `${title}: ${told.join(", ")}`), address);
}
