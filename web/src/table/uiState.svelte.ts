/** The state of the user interface in this browser: open dialogs, sound, odds and hidden players. */
import { getContext, setContext } from "svelte";
import { keep, kept, loadLocal, saveLocal } from "../lib/storage";

/** State that the server does not know. `code`: the table at which hidden players stay hidden after a reload. */
export class UiState {
  readonly #code: string;
  chatOpen = $state(false);
  menuOpen = $state(false);
  settingsOpen = $state(false);
  /** The id of the player whose menu is open. */
  menuPlayer = $state<number | null>(null);
  /** Ids of players whose chat messages the viewer hides. */
  hiddenPlayers = $state.raw<readonly number[]>([]);
  /** The seq of the latest news that was visible in the chat. */
  lastReadSeq = $state(0);
  soundOn = $state(loadLocal("sound") !== "off");
  showOdds = $state(loadLocal("odds") === "on");
  /** Whether this browser has never seen the end of a match that it played in. */
  firstMatch = $state(loadLocal("played") === null);
  /** The code of the table at which this browser shows the hints of a first match. */
  tutorialTable = $state(loadLocal("tutorial"));
  /** Whether the viewer wants a rematch as soon as the match is over. */
  rematchWanted = $state(false);

  constructor(code = "") {
    this.#code = code;
    const stored = kept("hidden")[code] ?? "";
    this.hiddenPlayers = stored.split(",").filter(Boolean).map(Number);
  }

  /** Hides or shows the chat messages of a player. */
  setHidden(player: number, hidden: boolean): void {
    const others = this.hiddenPlayers.filter((id) => id !== player);
    this.hiddenPlayers = hidden ? [...others, player] : others;
    if (this.#code) keep("hidden", this.#code, this.hiddenPlayers.join(","));
  }

  /** Remembers that a match was played to its end in this browser. */
  markPlayed(): void {
    if (!this.firstMatch) return;
    this.firstMatch = false;
    saveLocal("played", "yes");
  }

  endTutorial(): void {
    this.tutorialTable = null;
    saveLocal("tutorial", "");
  }

  toggleSound(): void {
    this.soundOn = !this.soundOn;
    saveLocal("sound", this.soundOn ? "on" : "off");
  }

  toggleOdds(): void {
    this.showOdds = !this.showOdds;
    saveLocal("odds", this.showOdds ? "on" : "off");
  }
}

const KEY = Symbol("ui");

/** Makes the state available to child components. */
export function provideUi(ui: UiState): UiState {
  return setContext(KEY, ui);
}

/** The state that a parent component provided. */
export function useUi(): UiState {
  return getContext<UiState>(KEY);
}
