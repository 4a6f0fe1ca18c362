/** The first match of a newcomer: an ordinary table with one bot, at which this browser shows hints. */
import { requireWords, t } from "../lib/i18n.svelte";
import { savedName } from "../lib/player.svelte";
import type { TableConfig } from "../lib/protocol";
import type { TableStore } from "../table/tableStore.svelte";
import { saveLocal } from "../lib/storage";
import { TUTORIAL_DICE } from "../history/statistics";
import { openBotTable } from "../landing/botTable";

const RULES = "basic";
/** It bids so high that it is caught soon. */
const BOT = "greedy:0.05";
/** The rules that a newcomer knows after both matches: the basic game with wild ones, and with its words. */
export const KNOWN_RULES = "joker";
/**
 * The basic game as a warm-up. It ends after two rounds, of which each player opens one, so that a newcomer has both a
 * bid of their own and a bid to doubt. The next match has wild ones.
 */
const WARM_UP = {
  "dice.per_player": TUTORIAL_DICE,
  "guards.max_rounds": 2,
  "first_starter.method": "random",
  "next_starter.rule": "rotate",
};

/** Opens the table of a first match and returns its URL. Throws `ApiError`. */
export async function openFirstMatch(): Promise<string> {
  await requireWords(["tutorial"]);
  const code = await openBotTable({
    name: savedName(),
    rules: RULES,
    changes: WARM_UP,
    title: t("tutorial.title"),
    bots: [BOT],
    spectators: false,
  });
  saveLocal("tutorial", code);
  return `/t/${code}`;
}

/** Whether a table plays the warm-up: what comes next is the game with wild ones. */
export function isWarmUp({ ruleset }: Pick<TableConfig, "ruleset">): boolean {
  return ruleset.guards.max_rounds === WARM_UP["guards.max_rounds"] && !ruleset.wilds.special_is_wild;
}

/** The configuration of the second match: ones are wild, and it is played to its end. */
export function withWildOnes(config: TableConfig): TableConfig {
  const { ruleset } = config;
  return {
    ...config,
    ruleset: {
      ...ruleset,
      wilds: { ...ruleset.wilds, special_is_wild: true },
      next_starter: { ...ruleset.next_starter, rule: "loser" },
      guards: { ...ruleset.guards, max_rounds: null },
    },
    rules_name: "",
    rules_base: RULES,
  };
}

/** Begins the second match at the table of a warm-up. */
export function playWithWildOnes(table: TableStore): void {
  if (!table.setting) return;
  table.request({ type: "change", config: withWildOnes(table.setting.config) });
  table.request({ type: "begin" });
}
