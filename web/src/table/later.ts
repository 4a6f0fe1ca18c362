/** Parts of the table that the first look at it does without; they come when they are shown, or when there is time. */
export const later = {
  accusations: () => import("./Accusations.svelte"),
  announcer: () => import("./Announcer.svelte"),
  directions: () => import("./Directions.svelte"),
  gathering: () => import("./Gathering.svelte"),
  higher: () => import("./Higher.svelte"),
  joinAlone: () => import("./JoinAlone.svelte"),
  joinPanel: () => import("./JoinPanel.svelte"),
  over: () => import("./Over.svelte"),
  picker: () => import("./Picker.svelte"),
  reveal: () => import("./Reveal.svelte"),
  seatMenu: () => import("./SeatMenu.svelte"),
  sounds: () => import("./sounds"),
  specialNotes: () => import("./SpecialNotes.svelte"),
  tableMenu: () => import("./TableMenu.svelte"),
  talk: () => import("./Talk.svelte"),
  tally: () => import("./Tally.svelte"),
  waiting: () => import("./Waiting.svelte"),
};

/** Fetch what will be needed soon, when the page has nothing else to do. */
export function fetchSoon(): void {
  const fetchAll = (): void => {
    for (const part of [
      later.waiting,
      later.picker,
      later.reveal,
      later.tally,
      later.over,
      later.tableMenu,
      later.seatMenu,
    ])
      void part();
  };
  if ("requestIdleCallback" in globalThis) requestIdleCallback(fetchAll, { timeout: 5000 });
  else setTimeout(fetchAll, 2000);
}
