/** Keeps the matches that are played at a table in the list of this browser. */
import { untrack } from "svelte";
import { ApiError, getJson, getText } from "../lib/http";
import type { TableSummary } from "../lib/protocol";
import { parseRecord } from "../replay/matchRecord";
import type { BoardState } from "../board/boardState.svelte";
import type { TableStore } from "../table/tableStore.svelte";
import { summarizeMatch } from "./matchSummary";
import {
  forgetStarted,
  keepMatches,
  keepStarted,
  startedMatches,
  wasDeleted,
  type StartedMatch,
  isFinishedRecord,
} from "./matchStore";

/** How many matches that have begun are looked up at once. */
const MAX_LOOKED_UP = 20;

/** Keeps each match of the table from its start on, and its record from its end on. Call it in an effect. */
export function rememberMatches(table: TableStore, board: BoardState): void {
  const started = $derived(table.seat !== null && table.setting ? (table.match?.number ?? 0) : 0);
  $effect(() => {
    if (started === 0) return;
    const { isOver } = board;
    untrack(() => {
      const match = startedMatch(table);
      // a browser without a database keeps no matches
      if (match) void (isOver ? finish(match) : keepStarted(match)).catch(() => undefined);
    });
  });
}

/** Fetches the records of the matches that have ended meanwhile. Returns the codes of tables where it is one's turn. */
export async function finishMatches(): Promise<string[]> {
  const onTurn: string[] = [];
  for (const match of (await startedMatches()).slice(0, MAX_LOOKED_UP)) {
    try {
      const table = await getJson<TableSummary>(`/api/tables/${encodeURIComponent(match.code)}`);
      if (table.stage !== "playing") await finish(match);
      else if (table.on_turn) onTurn.push(match.code);
    } catch (error) {
      if (error instanceof ApiError && error.code === "no_such_table") await forgetStarted(match.code, match.number);
    }
  }
  return onTurn;
}

/** Fetches the record of a match and keeps it. A match that still goes on, or is unreachable, stays as it is. */
async function finish(match: StartedMatch): Promise<void> {
  const { code, number, ...context } = match;
  await keepStarted(match);
  let text: string;
  try {
    text = await getText(`/api/tables/${encodeURIComponent(code)}/matches/${number}`);
  } catch {
    return;
  }
  const record = parseRecord(text);
  if (isFinishedRecord(record)) {
    const summary = summarizeMatch(record, context);
    if (!wasDeleted(summary.id)) await keepMatches([{ match: summary, record: text }]);
  }
  await forgetStarted(code, number);
}

function startedMatch({ code, match, seat, setting, players }: TableStore): StartedMatch | null {
  if (!match || seat === null || !setting) return null;
  const { title, rules_name: rulesName, rules_base: rulesBase } = setting.config;
  const bots = players.slice(0, match.dice.length).map(({ bot }) => bot ?? null);
  return { code, number: match.number, seat, title, rulesName, rulesBase, bots, playedAt: Date.now() };
}
