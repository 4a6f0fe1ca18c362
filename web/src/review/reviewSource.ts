/** Where the record of a review comes from: this browser's list of matches, a table of the server, or a file. */
import { getJson, getText } from "../lib/http";
import type { TableSummary } from "../lib/protocol";

/** A record, and the seat of this browser's player, null if they did not play the match to its end. */
export interface ReviewSource {
  record: string;
  seat: number | null;
}

/** The record of a match in this browser's list, by its id; null if it is not there. */
export async function sourceFromList(id: string): Promise<ReviewSource | null> {
  try {
    const { keptMatches, recordOf } = await import("../history/matchStore");
    const match = (await keptMatches()).find((kept) => kept.id === id);
    const record = match && (await recordOf(id));
    const seat = match && !match.standIns.includes(match.seat) ? match.seat : null;
    return record === undefined ? null : { record, seat };
  } catch {
    return null;
  }
}

/** The record of a finished match at a table; "" as its number means the latest one. Throws `ApiError`. */
export async function sourceFromTable(code: string, number: string): Promise<ReviewSource> {
  const path = `/api/tables/${encodeURIComponent(code)}`;
  const wanted = number || String((await getJson<TableSummary>(path)).matches);
  const kept = await keptMatch(code, wanted);
  const known = kept && (await sourceFromList(kept.id));
  return known ?? { record: await getText(`${path}/matches/${encodeURIComponent(wanted)}`), seat: kept?.seat ?? null };
}

/** The record in a file. */
export async function sourceFromFile(file: Blob): Promise<ReviewSource> {
  return { record: await file.text(), seat: null };
}

async function keptMatch(code: string, number: string): Promise<{ id: string; seat: number } | undefined> {
  try {
    const { matchesAt, startedMatches } = await import("../history/matchStore");
    const isIt = (match: { code: string; number: number }): boolean =>
      match.code === code.toUpperCase() && String(match.number) === number;
    const [match] = (await matchesAt(code)).filter(isIt);
    const [started] = (await startedMatches()).filter(isIt);
    return match ?? (started && { id: "", seat: started.seat });
  } catch {
    return undefined;
  }
}
