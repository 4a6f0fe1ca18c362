/** The files of texts in each language. A page loads the files that it uses. */
import type bots from "./en/bots.json";
import type coach from "./en/coach.json";
import type common from "./en/common.json";
import type cup from "./en/cup.json";
import type actions from "./en/actions.json";
import type glossary from "./en/glossary.json";
import type lab from "./en/lab.json";
import type landing from "./en/landing.json";
import type lobby from "./en/lobby.json";
import type matches from "./en/matches.json";
import type puzzles from "./en/puzzles.json";
import type options from "./en/options.json";
import type setup from "./en/setup.json";
import type replay from "./en/replay.json";
import type reasons from "./en/reasons.json";
import type habits from "./en/habits.json";
import type review from "./en/review.json";
import type rules from "./en/rules.json";
import type terms from "./en/terms.json";
import type ending from "./en/ending.json";
import type dialogs from "./en/dialogs.json";
import type table from "./en/table.json";
import type strategy from "./en/strategy.json";
import type training from "./en/training.json";
import type narration from "./en/narration.json";
import type notices from "./en/notices.json";
import type verify from "./en/verify.json";
import type voices from "./en/voices.json";

interface WordFiles {
  /** Texts of every page. */
  common: typeof common;
  /** Words for numbers, faces, bids and calls; generated from those of the package. */
  terms: typeof terms;
  bots: typeof bots;
  /** The hints of the first match. */
  coach: typeof coach;
  cup: typeof cup;
  /** Explanations of the players' words. */
  glossary: typeof glossary;
  /** What rules do to a match. */
  lab: typeof lab;
  landing: typeof landing;
  /** Open tables, and quick matches. */
  lobby: typeof lobby;
  matches: typeof matches;
  puzzles: typeof puzzles;
  /** The options of presets. */
  options: typeof options;
  setup: typeof setup;
  replay: typeof replay;
  /** Why moves were worth what they were; generated from the sentences of the package. */
  reasons: typeof reasons;
  habits: typeof habits;
  review: typeof review;
  rules: typeof rules;
  /** The board of a table, and its shared screen. */
  table: typeof table;
  /** The action panel of a table. */
  actions: typeof actions;
  /** The end of a match: podium, awards, and the picture of the result. */
  ending: typeof ending;
  /** Estimates at training tables. */
  training: typeof training;
  strategy: typeof strategy;
  /** Chat and dialogs of a table. */
  dialogs: typeof dialogs;
  /** Sentences about the events of a match; generated from the sentences of the package. */
  narration: typeof narration;
  /** Sentences about the table outside a match. */
  notices: typeof notices;
  verify: typeof verify;
  /** Emotes, and what bots say. */
  voices: typeof voices;
}

/** The name of a words file. */
export type WordFile = keyof WordFiles;
/** The key of a text. */
export type Key = { [F in WordFile]: keyof WordFiles[F] }[WordFile];
