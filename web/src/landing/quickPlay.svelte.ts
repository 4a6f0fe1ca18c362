/** Quick play: a match against bots with one click, with the options chosen last. */
import { t } from "../lib/i18n.svelte";
import { savedName, pickRandom } from "../lib/player.svelte";
import { loadLocal, saveLocal } from "../lib/storage";
import { lineup, STRENGTHS, type Strength } from "../setup/botLineup";
import { openBotTable } from "./botTable";

export const MAX_BOTS = 5;

/** The options of quick play. */
export class QuickPlay {
  rules = $state("perudo");
  botCount = $state(3);
  strength = $state<Strength>("regular");
  /** Whether the player may ask what the hands may be and what each move is worth. */
  training = $state(false);
  name = $state(savedName());
  /** Whether these are options that somebody chose in this browser. */
  readonly isSaved = loadLocal("quick") !== null;

  constructor() {
    const [rules = "", bots = "", strength = "", training = ""] = (loadLocal("quick") ?? "").split(" ");
    if (/^[a-z0-9+-]{1,80}$/.test(rules)) this.rules = rules;
    if (/^[1-5]$/.test(bots)) this.botCount = Number(bots);
    this.strength = STRENGTHS.find((known) => known === strength) ?? "regular";
    this.training = training === "training";
  }

  /** Opens a table and returns its URL. Throws `ApiError`. */
  async play(): Promise<string> {
    saveLocal("quick", `${this.rules} ${this.botCount} ${this.strength}${this.training ? " training" : ""}`);
    const code = await openBotTable({
      name: this.name,
      rules: this.rules,
      title: pickRandom(t("new.tables")),
      bots: lineup(this.strength, this.botCount),
      spectators: true,
      training: this.training,
    });
    return `/t/${code}`;
  }
}
