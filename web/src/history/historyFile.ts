/** The file with the matches of a browser, to keep them or to take them to another browser. */
import { t, type Key } from "../lib/i18n.svelte";
import { parseRecord, RecordError } from "../replay/matchRecord";
import { summarizeMatch, type KeptMatch, type MatchContext } from "./matchSummary";
import { isFinishedRecord } from "./matchStore";

const FORMAT = "liarsdice_matches";
const VERSION = 1;
const MAX_FILE_BYTES = 64 * 1024 * 1024;

/** A match with its record. */
export interface RecordedMatch {
  match: KeptMatch;
  record: string;
}

/** Says why a file cannot be read. */
export class HistoryFileError extends Error {
  constructor(key: Key, values: Record<string, string | number> = {}) {
    super(t(key, values));
    this.name = "BadHistoryFile";
  }
}

/** The text of a file with these matches. */
export function writeHistoryFile(matches: readonly RecordedMatch[]): string {
  const entries = matches.map(({ match: { seat, title, rulesName, rulesBase, bots, playedAt }, record }) =>
    JSON.stringify({ seat, title, rulesName, rulesBase, bots, playedAt, record }),
  );
  return `{"format":"${FORMAT}","version":${VERSION},"matches":[\n${entries.join(",\n")}\n]}\n`;
}

/** Reads a file that `writeHistoryFile` wrote. Throws `HistoryFileError`; a file with one bad match is refused whole. */
export async function readHistoryFile(file: Blob): Promise<RecordedMatch[]> {
  if (file.size > MAX_FILE_BYTES) throw new HistoryFileError("matches.file.large");
  const content = parseObject(await file.text());
  if (content?.format !== FORMAT || !Array.isArray(content.matches)) throw new HistoryFileError("matches.file.other");
  if (content.version !== VERSION) throw new HistoryFileError("matches.file.newer");
  return content.matches.map((entry: unknown, index) => readEntry(entry, index + 1));
}

function readEntry(entry: unknown, number: number): RecordedMatch {
  if (!isContext(entry)) throw new HistoryFileError("matches.file.entry", { number });
  const { seat, title, rulesName, rulesBase, bots, playedAt, record: text } = entry;
  try {
    const record = parseRecord(text);
    if (isFinishedRecord(record) && seat < record.start.names.length && bots.length === record.start.names.length)
      return { match: summarizeMatch(record, { seat, title, rulesName, rulesBase, bots, playedAt }), record: text };
  } catch (error) {
    if (!(error instanceof RecordError)) throw error;
  }
  throw new HistoryFileError("matches.file.entry", { number });
}

function isContext(value: unknown): value is MatchContext & { record: string } {
  if (typeof value !== "object" || value === null) return false;
  const { seat, title, rulesName, rulesBase, bots, playedAt, record } = value as Record<string, unknown>;
  const isText = (text: unknown): text is string => typeof text === "string" && text.length <= 200;
  return (
    Number.isInteger(seat) &&
    (seat as number) >= 0 &&
    [title, rulesName, rulesBase].every(isText) &&
    Array.isArray(bots) &&
    bots.every((bot) => bot === null || isText(bot)) &&
    typeof playedAt === "number" &&
    playedAt > 0 &&
    playedAt < 1e14 &&
    typeof record === "string"
  );
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
