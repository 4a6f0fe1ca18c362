/** The first match of a newcomer: an ordinary table with one bot, at which this browser shows hints. */
import { requireWords, t } from "../lib/i18n.svelte";
import { savedName } from "../lib/player";
import type { TableConfig } from "../lib/protocol";
import { saveLocal } from "../lib/storage";
import { openBotTable } from "../landing/botTable";

/** The basic game. The match ends after two rounds, and the next one has wild ones. */
const RULES = "basic";
const WARM_UP = { "dice.per_player": 3, "guards.max_rounds": 2 };
/** A bot that bids high enough to be caught soon. */
const BOT = "greedy";

/** Opens the table of a first match and returns its URL. Throws `ApiError`. */
export async function openFirstMatch(): Promise<string> {
  await requireWords(["coach"]);
  const code = await openBotTable({
    name: savedName(),
    rules: RULES,
    changes: WARM_UP,
    title: t("coach.title"),
    bots: [BOT],
    spectators: false,
  });
  saveLocal("coach", code);
  return `/t/${code}`;
}

/** The configuration of the second match: ones are wild, and it is played to its end. */
export function withWildOnes(config: TableConfig): TableConfig {
  const { ruleset } = config;
  return {
    ...config,
    ruleset: {
      ...ruleset,
      wilds: { ...ruleset.wilds, special_is_wild: true },
      guards: { ...ruleset.guards, max_rounds: null },
    },
    rules_name: "",
    rules_base: RULES,
  };
}
