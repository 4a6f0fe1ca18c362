/** The files that the words are in, a part each; a page loads those that it needs. */
import type bots from "./en/bots.json";
import type common from "./en/common.json";
import type cup from "./en/cup.json";
import type dock from "./en/dock.json";
import type landing from "./en/landing.json";
import type lobby from "./en/lobby.json";
import type fresh from "./en/new.json";
import type replay from "./en/replay.json";
import type rules from "./en/rules.json";
import type say from "./en/say.json";
import type sheets from "./en/sheets.json";
import type table from "./en/table.json";
import type telling from "./en/telling.json";
import type verify from "./en/verify.json";

interface Parts {
  /** What every page says. */
  common: typeof common;
  /** Numbers, faces, bids and calls in words. */
  say: typeof say;
  bots: typeof bots;
  cup: typeof cup;
  landing: typeof landing;
  lobby: typeof lobby;
  new: typeof fresh;
  replay: typeof replay;
  rules: typeof rules;
  /** A table: the felt and what lies on it. */
  table: typeof table;
  /** What is done beside the felt: to bid, to wait, to go on, to begin. */
  dock: typeof dock;
  /** Table talk, and what opens over a table. */
  sheets: typeof sheets;
  /** What happened at a table, as a story. */
  telling: typeof telling;
  verify: typeof verify;
}

export type Part = keyof Parts;
export type Key = { [P in Part]: keyof Parts[P] }[Part];
