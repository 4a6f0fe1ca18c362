/** Has the matches of this browser reviewed, one after another, and finds the habits that they show. */
import { keptMatches, recordOf, keepReviewed, reviewedMatches } from "../history/matchStore";
import type { KeptMatch } from "../history/matchSummary";
import { ownResults } from "../history/statistics";
import { ApiError, postJson } from "../lib/http";
import type { HabitReport, HabitsForm, PlayerParts, ReviewedMatch } from "../lib/protocol";
import { requestReview } from "../review/reviewService";

/** How many matches count, the newest ones. */
const MAX_MATCHES = 200;
/** How long the search waits when the server has no time. */
const WAIT_MS = 20_000;
/** What is kept of a match that cannot be reviewed. */
const NOTHING: ReviewedMatch = { gain: 0, costs: [], observations: [] };

export class HabitSearch {
  /** How many matches there are, and how many of them are reviewed. */
  total = $state(0);
  done = $state(0);
  /** The habits in the matches that are reviewed, null for none. */
  report = $state.raw<HabitReport | null>(null);
  /** The newest match, whose rules name the calls. */
  newest = $state.raw<KeptMatch | null>(null);
  /** Whether the server has no time just now. */
  waiting = $state(false);

  /** Reviews what is not reviewed yet. Throws `ApiError`, and where the browser has no database. */
  async run(signal: AbortSignal): Promise<void> {
    const matches = ownResults(await keptMatches()).slice(0, MAX_MATCHES);
    const known = await reviewedMatches(matches.map(({ id }) => id));
    [this.total, this.done, this.newest] = [matches.length, known.size, matches[0] ?? null];
    await this.#find(known);
    for (const { id, seat } of matches) {
      if (signal.aborted) return;
      if (known.has(id)) continue;
      const record = await recordOf(id);
      const reviewed = record ? await this.#review(record, seat, signal) : NOTHING;
      await keepReviewed(id, reviewed);
      known.set(id, reviewed);
      this.done += 1;
      await this.#find(known);
    }
  }

  async #find(known: ReadonlyMap<string, ReviewedMatch>): Promise<void> {
    const matches = [...known.values()].filter(({ costs }) => costs.length > 0);
    if (matches.length > 0) this.report = await postJson<HabitReport>("/api/habits", { matches } satisfies HabitsForm);
  }

  async #review(record: string, seat: number, signal: AbortSignal): Promise<ReviewedMatch> {
    for (;;) {
      try {
        return await reviewOf(record, seat, signal);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        if (error.code === "malformed" || error.code === "unavailable") return NOTHING;
        if (error.code !== "too_fast" && error.code !== "try_again") throw error;
      }
      this.waiting = true;
      await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
      this.waiting = false;
      signal.throwIfAborted();
    }
  }
}

/** What the review of a match says of one seat. Throws `ApiError`. */
async function reviewOf(record: string, seat: number, signal: AbortSignal): Promise<ReviewedMatch> {
  let gain = 0;
  const costs: number[] = [];
  const observations: ReviewedMatch["observations"] = [];
  for await (const line of requestReview(record, signal)) {
    if (line.type === "failed") throw new ApiError(line.code, line.text);
    if (line.type === "finished") return { gain, costs, observations };
    if (line.type === "account") gain = gainWithoutLuck(line.account.parts, seat);
    if (line.type === "decision" && line.review.seat === seat) {
      costs.push(line.review.cost);
      observations.push(...line.observations);
    }
  }
  throw new ApiError("offline", "");
}

/** How much more than an even share of the match a seat won, less its luck. */
function gainWithoutLuck(parts: readonly PlayerParts[], seat: number): number {
  const own = parts.find((part) => part.seat === seat);
  return own ? own.result - own.luck - 1 / parts.length : 0;
}
