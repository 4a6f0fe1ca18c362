/** The files that the words are in, a part each; a page loads those that it needs. */
import type bots from "./en/bots.json";
import type common from "./en/common.json";
import type cup from "./en/cup.json";
import type actions from "./en/actions.json";
import type landing from "./en/landing.json";
import type lobby from "./en/lobby.json";
import type setup from "./en/setup.json";
import type replay from "./en/replay.json";
import type rules from "./en/rules.json";
import type terms from "./en/terms.json";
import type dialogs from "./en/dialogs.json";
import type table from "./en/table.json";
import type narration from "./en/narration.json";
import type verify from "./en/verify.json";

interface Parts {
  /** What every page says. */
  common: typeof common;
  /** Numbers, faces, bids and calls in words. */
  terms: typeof terms;
  bots: typeof bots;
  cup: typeof cup;
  landing: typeof landing;
  lobby: typeof lobby;
  setup: typeof setup;
  replay: typeof replay;
  rules: typeof rules;
  /** A table: the felt and what lies on it. */
  table: typeof table;
  /** What is done beside the felt: to bid, to wait, to go on, to begin. */
  actions: typeof actions;
  /** Table talk, and what opens over a table. */
  dialogs: typeof dialogs;
  /** What happened at a table, as a story. */
  narration: typeof narration;
  verify: typeof verify;
}

export type WordFile = keyof Parts;
export type Key = { [P in WordFile]: keyof Parts[P] }[WordFile];
