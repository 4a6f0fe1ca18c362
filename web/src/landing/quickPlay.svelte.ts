/** "Play now": a seat against bots in one click, as it was chosen the last time. */
import { postJson } from "../lib/http";
import { t } from "../lib/i18n.svelte";
import { randomSeed, savedName, pickRandom, rememberName } from "../lib/player";
import type { TableForm, TableOpened } from "../lib/protocol";
import { loadLocal, saveLocal } from "../lib/storage";
import { lineup, STRENGTHS, type Strength } from "../setup/botLineup";

export const MAX_BOTS = 5;

export class QuickPlay {
  rules = $state("perudo");
  botCount = $state(3);
  strength = $state<Strength>("regular");
  name = $state(savedName());

  constructor() {
    const [rules = "", bots = "", strength = ""] = (loadLocal("quick") ?? "").split(" ");
    if (/^[a-z0-9+-]{1,80}$/.test(rules)) this.rules = rules;
    if (/^[1-5]$/.test(bots)) this.botCount = Number(bots);
    this.strength = STRENGTHS.find((known) => known === strength) ?? "regular";
  }

  /** Sit down. The address of the table. Raises `Refused`. */
  async play(): Promise<string> {
    saveLocal("quick", `${this.rules} ${this.botCount} ${this.strength}`);
    const form: TableForm = {
      name: rememberName(this.name),
      rules: this.rules,
      title: pickRandom(t("new.tables")),
      seats: this.botCount + 1,
      bots: lineup(this.strength, this.botCount),
      clock: { turn_s: null, bank_s: 0 },
      hints: true,
      spectators: true,
      listed: false,
      away: "wait",
      begin: true,
      seed: randomSeed(),
    };
    const { code } = await postJson<TableOpened>("/api/tables", form);
    return `/t/${code}`;
  }
}
