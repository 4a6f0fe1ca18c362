/** What this reader has open, hears and hides; the table knows nothing of it. */
import { getContext, setContext } from "svelte";
import { loadLocal, saveLocal } from "../lib/storage";

export class UiState {
  chatOpen = $state(false);
  menuOpen = $state(false);
  settingsOpen = $state(false);
  /** The player whose menu is open. */
  menuPlayer = $state<number | null>(null);
  /** Players whose talk this reader does not want to see. */
  hiddenPlayers = $state.raw<readonly number[]>([]);
  /** The seq of the latest news that was seen in the talk. */
  lastReadSeq = $state(0);
  soundOn = $state(loadLocal("sound") !== "off");
  showOdds = $state(loadLocal("odds") === "on");

  setHidden(player: number, hidden: boolean): void {
    const others = this.hiddenPlayers.filter((id) => id !== player);
    this.hiddenPlayers = hidden ? [...others, player] : others;
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

export function provideUi(ui: UiState): UiState {
  return setContext(KEY, ui);
}

export function useUi(): UiState {
  return getContext<UiState>(KEY);
}
