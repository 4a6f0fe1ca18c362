/** Components of the table that the first render does not need. They are loaded when shown, or when the page is idle. */
import { whenIdle } from "../lib/frames";
import { withWords } from "../lib/i18n.svelte";

/** Loaders by component. */
export const lazy = {
  seats: withWords(() => import("../seats/Seats.svelte"), "terms"),
  labels: withWords(() => import("../lib/labels"), "terms"),
  podium: withWords(() => import("../ending/Podium.svelte"), "terms", "ending"),
  matchStory: withWords(() => import("../ending/MatchStory.svelte"), "terms", "actions", "ending", "glossary"),
  momentFilm: withWords(() => import("../ending/MomentFilm.svelte"), "terms", "actions", "ending"),
  accusations: withWords(
    () => import("../chat/Accusations.svelte"),
    "terms",
    "dialogs",
    "notices",
    "voices",
    "narration",
  ),
  liveAnnouncer: withWords(() => import("../chat/LiveAnnouncer.svelte"), "terms", "narration", "notices", "voices"),
  tableSettings: withWords(
    () => import("../setup/TableSettings.svelte"),
    "actions",
    "dialogs",
    "setup",
    "bots",
    "glossary",
    "terms",
  ),
  tutorial: withWords(() => import("../tutorial/Tutorial.svelte"), "terms", "tutorial", "actions", "bots", "narration"),
  tutorialTip: withWords(() => import("../tutorial/TutorialTip.svelte"), "terms", "tutorial"),
  callGuess: withWords(() => import("./CallGuess.svelte"), "terms", "actions"),
  openingChoices: withWords(() => import("../bidding/OpeningChoices.svelte"), "terms", "actions", "glossary"),
  passButtons: withWords(() => import("../bidding/PassButtons.svelte"), "actions"),
  sumPicker: withWords(() => import("../bidding/SumPicker.svelte"), "terms", "actions"),
  revealedPass: withWords(() => import("../reveal/RevealedPass.svelte"), "actions", "narration"),
  showDice: withWords(() => import("../bidding/ShowDice.svelte"), "actions"),
  shownDice: withWords(() => import("../seats/ShownDice.svelte")),
  waitingRoom: withWords(() => import("../lobby/WaitingRoom.svelte"), "terms", "actions"),
  revealedHand: withWords(() => import("../reveal/RevealedHand.svelte")),
  customBid: withWords(() => import("../bidding/CustomBid.svelte"), "terms", "actions"),
  rulesChange: withWords(() => import("../lobby/RulesChange.svelte"), "terms", "actions", "glossary"),
  missingTable: withWords(() => import("../lobby/MissingTable.svelte"), "dialogs"),
  standingBid: withWords(() => import("../board/StandingBid.svelte"), "terms", "actions", "glossary"),
  ownDice: withWords(() => import("../board/OwnDice.svelte"), "terms", "actions"),
  missedCalls: withWords(() => import("./MissedCalls.svelte"), "notices"),
  awayStrip: withWords(() => import("./AwayStrip.svelte"), "terms", "actions"),
  errorToasts: withWords(() => import("./ErrorToasts.svelte")),
  noSpectators: withWords(() => import("../lobby/NoSpectators.svelte"), "terms", "actions", "dialogs"),
  joinForm: withWords(() => import("../lobby/JoinForm.svelte"), "actions"),
  roundStart: withWords(() => import("../board/RoundStart.svelte"), "terms", "glossary", "notices"),
  matchResult: withWords(() => import("./MatchResult.svelte"), "terms", "actions", "ending", "tutorial"),
  bidPicker: withWords(() => import("../bidding/BidPicker.svelte"), "terms", "actions", "glossary"),
  revealPanel: withWords(
    () => import("../reveal/RevealPanel.svelte"),
    "terms",
    "actions",
    "narration",
    "glossary",
    "notices",
  ),
  playerMenu: withWords(() => import("../seats/PlayerMenu.svelte"), "dialogs", "actions"),
  backgroundTasks: withWords(() => import("./backgroundTasks.svelte"), "replay", "matches", "voices"),
  quickWait: withWords(() => import("../lobby/QuickWait.svelte"), "lobby"),
  specialRoundNotes: withWords(
    () => import("../bidding/SpecialRoundNotes.svelte"),
    "terms",
    "actions",
    "glossary",
    "narration",
  ),
  specialRoundBanner: withWords(
    () => import("../board/SpecialRoundBanner.svelte"),
    "terms",
    "actions",
    "glossary",
    "narration",
  ),
  keepGroup: withWords(() => import("./KeepGroup.svelte"), "ending"),
  tableMenu: withWords(() => import("./TableMenu.svelte"), "dialogs", "actions"),
  diceThrow: withWords(() => import("../dice/DiceThrow.svelte")),
  ownVoice: withWords(() => import("../voices/OwnVoice.svelte"), "voices"),
  chatPanel: withWords(
    () => import("../chat/ChatPanel.svelte"),
    "voices",
    "terms",
    "dialogs",
    "narration",
    "notices",
    "glossary",
  ),
  revealCount: withWords(() => import("../reveal/RevealCount.svelte"), "terms", "actions", "narration"),
  revealTheatre: withWords(() => import("../reveal/RevealTheatre.svelte"), "terms", "actions"),
  questionPanel: withWords(() => import("../bidding/QuestionPanel.svelte"), "terms", "actions", "glossary"),
  doublingNote: withWords(() => import("../bidding/DoublingNote.svelte"), "terms", "narration"),
  opponentTurn: withWords(() => import("../bidding/OpponentTurn.svelte"), "terms", "actions", "glossary"),
  trainingPanel: withWords(
    () => import("../training/TrainingPanel.svelte"),
    "terms",
    "actions",
    "training",
    "reasons",
    "glossary",
  ),
};

/** Loads the components that a match needs soon, one after another, while the browser is idle. */
export function prefetchComponents(): void {
  const remaining = [
    lazy.ownDice,
    lazy.ownVoice,
    lazy.diceThrow,
    lazy.standingBid,
    lazy.errorToasts,
    lazy.awayStrip,
    lazy.opponentTurn,
    lazy.bidPicker,
    lazy.revealPanel,
    lazy.revealCount,
    lazy.revealTheatre,
    lazy.revealedHand,
    lazy.roundStart,
    lazy.specialRoundBanner,
    lazy.matchResult,
    lazy.podium,
    lazy.tableMenu,
    lazy.playerMenu,
  ];
  const fetchNext = (): void => {
    const load = remaining.shift();
    if (!load) return;
    void load();
    whenIdle(fetchNext, 2000);
  };
  whenIdle(fetchNext, 5000);
}
