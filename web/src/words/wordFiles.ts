/** The files of texts in each language. A page loads the files that it uses; the sentences about matches are those of the package. */
interface WordFiles {
  /** Texts of every page. */
  common: typeof import("./en/common.json");
  /** Words for numbers, faces, bids and calls; generated from those of the package. */
  terms: typeof import("./en/terms.json");
  bots: typeof import("./en/bots.json");
  /** The hints of the first match. */
  tutorial: typeof import("./en/tutorial.json");
  cup: typeof import("./en/cup.json");
  /** Groups that meet again. */
  group: typeof import("./en/group.json");
  /** Explanations of the players' words. */
  glossary: typeof import("./en/glossary.json");
  /** What rules do to a match. */
  lab: typeof import("./en/lab.json");
  landing: typeof import("./en/landing.json");
  /** Open tables, and quick matches. */
  lobby: typeof import("./en/lobby.json");
  matches: typeof import("./en/matches.json");
  puzzles: typeof import("./en/puzzles.json");
  /** The options of presets. */
  options: typeof import("./en/options.json");
  setup: typeof import("./en/setup.json");
  replay: typeof import("./en/replay.json");
  /** Why moves were worth what they were. */
  reasons: typeof import("../../../src/liarsdice/core/text/sentences/en/reasons.json");
  habits: typeof import("./en/habits.json");
  /** What the coach says of habits. */
  coach: typeof import("../../../src/liarsdice/core/text/sentences/en/coach.json");
  review: typeof import("./en/review.json");
  rules: typeof import("./en/rules.json");
  /** The board of a table, and its shared screen. */
  table: typeof import("./en/table.json");
  /** The action panel of a table. */
  actions: typeof import("./en/actions.json");
  /** The end of a match: podium, awards, the picture of the result, and the film of a moment. */
  ending: typeof import("./en/ending.json");
  /** Estimates at training tables. */
  training: typeof import("./en/training.json");
  strategy: typeof import("./en/strategy.json");
  /** Chat and dialogs of a table. */
  dialogs: typeof import("./en/dialogs.json");
  /** Sentences about the events of a match. */
  narration: typeof import("../../../src/liarsdice/core/text/sentences/en/narration.json");
  /** Sentences about the table outside a match. */
  notices: typeof import("./en/notices.json");
  verify: typeof import("./en/verify.json");
  /** Emotes, and what bots say. */
  voices: typeof import("./en/voices.json");
}

/** The name of a words file. */
export type WordFile = keyof WordFiles;
/** The key of a text. */
export type Key = { [F in WordFile]: keyof WordFiles[F] }[WordFile];
