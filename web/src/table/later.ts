/** Parts of the table that the first look at it does without; they come when they are shown, or when there is time. */
import { need, type Part } from "../lib/i18n.svelte";

/** Load code and the words that it says. */
function saying<T>(load: () => Promise<T>, ...parts: Part[]): () => Promise<T> {
  return async () => (await Promise.all([load(), need(parts)]))[0];
}

export const later = {
  accusations: saying(() => import("./Accusations.svelte"), "sheets", "telling"),
  announcer: saying(() => import("./Announcer.svelte"), "telling"),
  changeTable: saying(() => import("./ChangeTable.svelte"), "dock", "sheets", "new", "bots"),
  directions: saying(() => import("./Directions.svelte"), "dock"),
  gathering: saying(() => import("./Gathering.svelte"), "dock"),
  hand: () => import("./Hand.svelte"),
  higher: saying(() => import("./Higher.svelte"), "dock"),
  joinAlone: saying(() => import("./JoinAlone.svelte"), "dock", "sheets"),
  joinPanel: saying(() => import("./JoinPanel.svelte"), "dock"),
  opening: () => import("./Opening.svelte"),
  over: saying(() => import("./Over.svelte"), "dock"),
  picker: saying(() => import("./Picker.svelte"), "dock"),
  reveal: saying(() => import("./Reveal.svelte"), "dock", "telling"),
  seatMenu: saying(() => import("./SeatMenu.svelte"), "sheets", "dock"),
  sounds: () => import("./sounds"),
  specialNotes: saying(() => import("./SpecialNotes.svelte"), "dock"),
  tableMenu: saying(() => import("./TableMenu.svelte"), "sheets", "dock"),
  talk: saying(() => import("./Talk.svelte"), "sheets", "telling"),
  tally: saying(() => import("./Tally.svelte"), "dock", "telling"),
  waiting: saying(() => import("./Waiting.svelte"), "dock"),
};

/** Fetch what will be needed soon, when the page has nothing else to do. */
export function fetchSoon(): void {
  const fetchAll = (): void => {
    for (const part of [
      later.waiting,
      later.picker,
      later.reveal,
      later.tally,
      later.hand,
      later.opening,
      later.over,
      later.tableMenu,
      later.seatMenu,
    ])
      void part();
  };
  if ("requestIdleCallback" in globalThis) requestIdleCallback(fetchAll, { timeout: 5000 });
  else setTimeout(fetchAll, 2000);
}
