/** Parts of the table that the first look at it does without; they come when they are shown, or when there is time. */
import { need, type Part } from "../lib/i18n.svelte";

/** Load code and the words that it says. */
function saying<T>(load: () => Promise<T>, ...parts: Part[]): () => Promise<T> {
  return async () => (await Promise.all([load(), need(parts)]))[0];
}

export const later = {
  accusations: saying(() => import("../chat/Accusations.svelte"), "dialogs", "narration"),
  announcer: saying(() => import("../chat/LiveAnnouncer.svelte"), "narration"),
  changeTable: saying(() => import("../setup/TableSettings.svelte"), "actions", "dialogs", "setup", "bots"),
  directions: saying(() => import("../bidding/DirectionChoice.svelte"), "actions"),
  gathering: saying(() => import("../lobby/WaitingRoom.svelte"), "actions"),
  hand: () => import("../reveal/RevealedHand.svelte"),
  higher: saying(() => import("../bidding/CustomBid.svelte"), "actions"),
  joinAlone: saying(() => import("../lobby/NoSpectators.svelte"), "actions", "dialogs"),
  joinPanel: saying(() => import("../lobby/JoinForm.svelte"), "actions"),
  opening: () => import("../board/RoundStart.svelte"),
  over: saying(() => import("./MatchResult.svelte"), "actions"),
  picker: saying(() => import("../bidding/BidPicker.svelte"), "actions"),
  reveal: saying(() => import("../reveal/RevealPanel.svelte"), "actions", "narration"),
  seatMenu: saying(() => import("../seats/PlayerMenu.svelte"), "dialogs", "actions"),
  sounds: () => import("./soundEffects"),
  specialNotes: saying(() => import("../bidding/SpecialRoundNotes.svelte"), "actions"),
  tableMenu: saying(() => import("./TableMenu.svelte"), "dialogs", "actions"),
  talk: saying(() => import("../chat/ChatPanel.svelte"), "dialogs", "narration"),
  tally: saying(() => import("../reveal/RevealCount.svelte"), "actions", "narration"),
  waiting: saying(() => import("../bidding/OpponentTurn.svelte"), "actions"),
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
