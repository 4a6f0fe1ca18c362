/** Quick play: a match against bots with one click, with the options chosen last. */
import { postJson } from "../lib/http";
import { t } from "../lib/i18n.svelte";
import { savedName, pickRandom, rememberName } from "../lib/player";
import type { TableForm, SeatResponse } from "../lib/protocol";
import { keepCommitment, newCommitment } from "../lib/seeds";
import { loadLocal, saveLocal } from "../lib/storage";
import { lineup, STRENGTHS, type Strength } from "../setup/botLineup";

export const MAX_BOTS = 5;

/** The options of quick play. */
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

  /** Opens a table and returns its URL. Throws `ApiError`. */
  async play(): Promise<string> {
    saveLocal("quick", `${this.rules} ${this.botCount} ${this.strength}`);
    const commitment = newCommitment();
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
      commitment,
    };
    const { code } = await postJson<SeatResponse>("/api/tables", form);
    keepCommitment(code, 1, commitment);
    return `/t/${code}`;
  }
}
