/** The review of one match as far as it is computed. */
import { ApiError, getJson, getText } from "../lib/http";
import type { DecisionReview, MatchFacts, PlayerReview, ResultAccount, TableSummary } from "../lib/protocol";
import { requestReview } from "./reviewService";

/** How many costly decisions of each player are listed. */
const DEAREST = 3;

/** What a player gave away in the decisions that are computed, without those in which no moves were compared. */
export interface SeatTotals {
  seat: number;
  decisions: number;
  costly: number;
  cost: number;
  /** Half of the 95% interval of the cost. */
  error: number;
}

export class ReviewState {
  match = $state.raw<MatchFacts | null>(null);
  /** Luck and play, null until they are computed. */
  account = $state.raw<ResultAccount | null>(null);
  /** The computed decisions by number. */
  decisions = $state.raw<readonly DecisionReview[]>([]);
  /** Totals and accuracy by seat, null until all decisions are computed. */
  players = $state.raw<readonly PlayerReview[] | null>(null);
  deals = $state(0);
  judge = $state("");
  /** About how many matches of so many players it takes to see that one of them plays 5 points better. */
  matchesToTell = $state(0);
  /** How many other reviews come first. */
  ahead = $state(0);

  /** Starts the review of a record and follows it to its end. Throws `ApiError`. */
  async follow(record: string, signal: AbortSignal): Promise<void> {
    [this.match, this.account, this.decisions, this.players, this.ahead] = [null, null, [], null, 0];
    for await (const line of requestReview(record, signal)) {
      if (signal.aborted) return;
      switch (line.type) {
        case "started":
          [this.match, this.deals, this.judge] = [line.match, line.deals, line.judge];
          this.matchesToTell = line.matches_to_tell;
          break;
        case "waiting":
          this.ahead = line.ahead;
          break;
        case "account":
          this.account = line.account;
          break;
        case "decision":
          this.ahead = 0;
          this.decisions = [...this.decisions, line.review];
          break;
        case "finished":
          this.players = line.players;
          break;
        case "failed":
          throw new ApiError(line.code, line.text);
      }
    }
    if (!this.players && !signal.aborted) throw new ApiError("offline", "");
  }

  /** The totals of each seat so far. */
  get totals(): SeatTotals[] {
    return (this.match?.names ?? []).map((_, seat) => {
      const own = this.decisions.filter((decision) => decision.seat === seat && decision.moves.length > 0);
      const costly = own.filter(({ cost }) => cost > 0);
      return {
        seat,
        decisions: own.length,
        costly: costly.length,
        cost: costly.reduce((sum, { cost }) => sum + cost, 0),
        error: Math.hypot(...costly.map(({ error }) => error)),
      };
    });
  }

  /** The dearest decisions of a seat so far, the dearest first. */
  dearest(seat: number): DecisionReview[] {
    return this.decisions
      .filter((decision) => decision.seat === seat && decision.cost > 0)
      .sort((a, b) => b.cost - a.cost)
      .slice(0, DEAREST);
  }

  /** Whose dearest decisions are listed first: those of a seat, or if it has none in the end, of who gave away most. */
  firstListed(seat: number): number {
    if (!this.players || this.dearest(seat).length > 0) return seat;
    return this.totals.reduce((most, totals) => (totals.cost > most.cost ? totals : most)).seat;
  }

  /** The number of the next costly decision after a decision, from the start again after the last one. */
  nextDear(number: number): number {
    const dear = this.decisions.filter(({ cost }) => cost > 0);
    return (dear.find((decision) => decision.number > number) ?? dear[0])?.number ?? number;
  }
}

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
