/** The habits of this browser's player: looking for them in kept matches, and telling them in words. */
import { keptMatches, recordOf, keepReviewed, reviewedMatches } from "../history/matchStore";
import type { KeptMatch } from "../history/matchSummary";
import { ownResults } from "../history/statistics";
import { ApiError, postJson } from "../lib/http";
import type { HabitReport, HabitsForm, PlayerParts, ReviewedMatch, Habit, Skill } from "../lib/protocol";
import { requestReview } from "../review/reviewService";
import { i18n, t } from "../lib/i18n.svelte";
import { callLabel, formatDice, formatPercent, formatProbability } from "../lib/formatting";
import type { Ruleset } from "../lib/ruleset";
import { formatPoints } from "../review/decisionWords";

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

/** The limits of the bands of probability, and the size of hands that are one kind; see `analysis/habits.py`. */
const BANDS = [0, 20, 40, 60, 80, 100];
const MANY_DICE = 5;
/** No claim is made of a kind with fewer decisions. */
export const MIN_DECISIONS = 200;

/** The finding in one line. */
export function findingText(rules: Ruleset | undefined, { habits }: HabitReport): string {
  const dearest = habits.find(({ verdict }) => verdict === "costs");
  if (dearest) return t("habits.finding", { name: habitName(rules, dearest), points: formatPoints(dearest.cost) });
  const early = habits.every(({ verdict }) => verdict === "not_yet");
  return t(early ? "habits.finding.early" : "habits.finding.none", { count: MIN_DECISIONS });
}

/** The name of a habit, with a judgement only where it costs something and the champion does otherwise. */
export function habitName(rules: Ruleset | undefined, habit: Habit): string {
  const {
    kind,
    band,
    share,
    share_95: [low, high],
    usual,
  } = habit;
  const differs = habit.verdict === "costs" && (usual < low || usual > high);
  const way = differs ? (share > usual ? "more" : "less") : "plain";
  switch (kind) {
    case "challenge":
      return t(`habits.challenge.${way}`, { label: callLabel(rules, "challenge"), band: bandText(band) });
    case "bluff": {
      const dice = formatDice(band);
      return t(`habits.bluff.${way}`, { dice: band === MANY_DICE ? t("habits.dice.many", { dice }) : dice });
    }
    case "opening":
      return t(`habits.opening.${way}`);
    case "exact":
      return t(`habits.exact.${way}`, { label: callLabel(rules, "exact") });
    case "silence":
      return t("habits.silence");
    case "special":
      return t("habits.special", { label: callLabel(rules, "special_round") });
  }
}

/** How much more than an even share the player won, without luck, and what that is worth. */
export function skillText({ matches, gain, error, more_matches }: Skill): string {
  const n = new Intl.NumberFormat(i18n.language, { maximumSignificantDigits: 2 }).format(more_matches ?? 0);
  if (gain === null || error === null) {
    return t("habits.skill.early", { min: matches + (more_matches ?? 0), count: more_matches ?? 0 });
  }
  const sentence = t("habits.skill.gain", { gain: formatGain(gain), error: formatPoints(error) });
  if (more_matches === null) return sentence;
  if (more_matches > 0) return `${sentence} ${t("habits.skill.open", { count: more_matches, n })}`;
  return `${sentence} ${t(gain > 0 ? "habits.skill.better" : "habits.skill.worse")}`;
}

/** What was counted, beside what the champion does. */
export function habitSentence({ kind, decisions, share, share_95: [low, high], usual, ...habit }: Habit): string {
  if (habit.verdict === "not_yet")
    return t("habits.not_yet", { done: decisions, min: MIN_DECISIONS, count: habit.more_matches });
  const count = t("habits.decisions", { count: decisions, n: new Intl.NumberFormat(i18n.language).format(decisions) });
  if (kind === "silence" || kind === "special") return count;
  const own = `${formatProbability(share)} ±${Math.round(50 * (high - low))}`;
  return `${t(`habits.share.${kind}`, { own, usual: formatProbability(usual) })} ${count}`;
}

/** Points with their sign: "+3.5", "−3.5". */
function formatGain(gain: number): string {
  return `${gain < 0 ? "−" : "+"}${formatPoints(gain)}`;
}

function bandText(band: number): string {
  const [low, high] = [BANDS[band] ?? 0, BANDS[band + 1] ?? 100];
  if (low === 0) return t("habits.band.lowest", { high: formatPercent(high) });
  if (high === 100) return t("habits.band.highest", { low: formatPercent(low) });
  return t("habits.band.between", { low, high: formatPercent(high) });
}
