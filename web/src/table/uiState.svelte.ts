/** What this reader has open, hears and hides; the table knows nothing of it. */
import { getContext, setContext } from "svelte";
import { recalled, remember } from "../lib/storage";

export class Manners {
  talkOpen = $state(false);
  menuOpen = $state(false);
  changeOpen = $state(false);
  /** The player whose menu is open. */
  about = $state<number | null>(null);
  /** Players whose talk this reader does not want to see. */
  hidden = $state.raw<readonly number[]>([]);
  /** The seq of the latest news that was seen in the talk. */
  readTo = $state(0);
  sound = $state(recalled("sound") !== "off");
  odds = $state(recalled("odds") === "on");

  hide(player: number, hidden: boolean): void {
    const others = this.hidden.filter((one) => one !== player);
    this.hidden = hidden ? [...others, player] : others;
  }

  switchSound(): void {
    this.sound = !this.sound;
    remember("sound", this.sound ? "on" : "off");
  }

  switchOdds(): void {
    this.odds = !this.odds;
    remember("odds", this.odds ? "on" : "off");
  }
}

const KEY = Symbol("manners");

export function provideManners(manners: Manners): Manners {
  return setContext(KEY, manners);
}

export function useManners(): Manners {
  return getContext<Manners>(KEY);
}
