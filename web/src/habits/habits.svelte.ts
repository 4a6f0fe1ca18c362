/** The habits of this browser's player: looking for them in kept matches, and telling them in words. */
import { keptMatches, recordOf, keepReviewed, reviewedMatches, type CoachedMatch } from "../history/matchStore";
import type { KeptMatch } from "../history/matchSummary";
import { ownResults } from "../history/statistics";
import { ApiError, postJson } from "../lib/http";
import type { DecisionReview, HabitReport, HabitsForm, PlayerParts, Habit, Skill, Tip } from "../lib/protocol";
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
const NOTHING: CoachedMatch = { gain: 0, costs: [], observations: [], dearest: [] };
/** How many of the dearest decisions are shown. */
const DEAREST = 3;

/** One of the dearest decisions, and the match in which it was made. */
interface DearDecision {
  match: KeptMatch;
  decision: DecisionReview;
}

export class HabitSearch {
  /** How many matches there are, and how many of them are reviewed. */
  total = $state(0);
  done = $state(0);
  /** The habits in the matches that are reviewed, null for none. */
  report = $state.raw<HabitReport | null>(null);
  /** The decisions that cost most in all matches that are reviewed. */
  dearest = $state.raw<readonly DearDecision[]>([]);
  /** The newest match, whose rules name the calls. */
  newest = $state.raw<KeptMatch | null>(null);
  /** Whether the server has no time just now. */
  waiting = $state(false);

  /** Reviews what is not reviewed yet. Throws `ApiError`, and where the browser has no database. */
  async run(signal: AbortSignal): Promise<void> {
    const matches = ownResults(await keptMatches()).slice(0, MAX_MATCHES);
    const known = await reviewedMatches(matches.map(({ id }) => id));
    [this.total, this.done, this.newest] = [matches.length, known.size, matches[0] ?? null];
    await this.#find(known, matches);
    for (const { id, seat } of matches) {
      if (signal.aborted) return;
      if (known.has(id)) continue;
      const record = await recordOf(id);
      const reviewed = record ? await this.#review(record, seat, signal) : NOTHING;
      await keepReviewed(id, reviewed);
      known.set(id, reviewed);
      this.done += 1;
      await this.#find(known, matches);
    }
  }

  async #find(known: ReadonlyMap<string, CoachedMatch>, kept: readonly KeptMatch[]): Promise<void> {
    this.dearest = dearestOf(
      kept.flatMap((match) => (known.get(match.id)?.dearest ?? []).map((decision) => ({ match, decision }))),
    );
    const matches = [...known.values()]
      .filter(({ costs }) => costs.length > 0)
      .map(({ gain, costs, observations }) => ({ gain, costs, observations }));
    if (matches.length > 0) this.report = await postJson<HabitReport>("/api/habits", { matches } satisfies HabitsForm);
  }

  async #review(record: string, seat: number, signal: AbortSignal): Promise<CoachedMatch> {
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

function dearestOf<D extends { decision: DecisionReview }>(all: readonly D[]): D[] {
  return all
    .filter(({ decision }) => decision.cost > 0)
    .sort((a, b) => b.decision.cost - a.decision.cost)
    .slice(0, DEAREST);
}

/** What the review of a match says of one seat. Throws `ApiError`. */
async function reviewOf(record: string, seat: number, signal: AbortSignal): Promise<CoachedMatch> {
  let gain = 0;
  const costs: number[] = [];
  const observations: CoachedMatch["observations"] = [];
  const decisions: { decision: DecisionReview }[] = [];
  for await (const line of requestReview(record, signal)) {
    if (line.type === "failed") throw new ApiError(line.code, line.text);
    if (line.type === "finished")
      return { gain, costs, observations, dearest: dearestOf(decisions).map(({ decision }) => decision) };
    if (line.type === "account") gain = gainWithoutLuck(line.account.parts, seat);
    if (line.type === "decision" && line.review.seat === seat) {
      costs.push(line.review.cost);
      decisions.push({ decision: line.review });
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
  if (dearest) return t("habit.finding", { name: habitName(rules, dearest), points: formatPoints(dearest.cost) });
  const early = habits.every(({ verdict }) => verdict === "not_yet");
  return t(early ? "habit.finding.early" : "habit.finding.none", { n: MIN_DECISIONS });
}

/** What all decisions cost in a match. Matches that differ by as much as they cost leave the margin out. */
export function totalText({ cost, error }: HabitReport): string {
  if (cost <= 0) return t("habits.total.none");
  return t(error < cost ? "habits.total" : "habits.total.early", {
    cost: formatPoints(cost),
    error: formatPoints(error),
  });
}

/** What to do otherwise, and what that is based on. */
export function tipText(rules: Ruleset | undefined, { kind, did, decisions, cost }: Tip): string {
  if (kind === "special") return "";
  const advice = t(`habit.tip.${kind}.${did ? "did" : "did_not"}`, {
    label: callLabel(rules, kind === "exact" ? "exact" : "challenge"),
  });
  return `${advice} ${t("habit.tip.cost", { count: decisions, n: String(decisions), points: formatPoints(cost) })}`;
}

/** How many matches of those that a finding takes there are: "12 of about 60 matches needed". */
export function neededText({ more_matches: more }: Habit, matches: number): string {
  const count = matches + more;
  const n = new Intl.NumberFormat(i18n.language, { maximumSignificantDigits: 2 }).format(count);
  return t("habit.needed", { done: matches, count, n });
}

/** The name of a habit, with a judgement only where it costs something and the champion does otherwise. */
export function habitName(rules: Ruleset | undefined, habit: Habit): string {
  const { kind, band, way } = habit;
  const label = callLabel(rules, kind === "exact" ? "exact" : kind === "special" ? "special_round" : "challenge");
  switch (kind) {
    case "challenge":
      return t(`habit.challenge.${way}`, { label, band: bandText(band) });
    case "bluff": {
      const dice = formatDice(band);
      return t(`habit.bluff.${way}`, { dice: band === MANY_DICE ? t("habit.dice.many", { dice }) : dice });
    }
    case "opening":
    case "exact":
      return t(`habit.${kind}.${way}`, { label });
    case "silence":
    case "special":
      return t(`habit.${kind}`, { label });
  }
}

/** How much more than an even share the player won, without luck, and what that is worth. */
export function skillText({ matches, gain, error, more_matches }: Skill): string {
  const n = new Intl.NumberFormat(i18n.language, { maximumSignificantDigits: 2 }).format(more_matches ?? 0);
  if (gain === null || error === null) {
    return t("habit.skill.early", { min: matches + (more_matches ?? 0), count: more_matches ?? 0, n });
  }
  const sentence = t("habit.skill.gain", { gain: formatGain(gain), error: formatPoints(error) });
  if (more_matches === null) return sentence;
  if (more_matches > 0) return `${sentence} ${t("habit.skill.open", { count: more_matches, n })}`;
  return `${sentence} ${t(gain > 0 ? "habit.skill.better" : "habit.skill.worse")}`;
}

/** What was counted, beside what the champion does. */
export function habitSentence({ kind, decisions, share, share_95: [low, high], usual, verdict }: Habit): string {
  const n = new Intl.NumberFormat(i18n.language).format(decisions);
  const count = t(`habit.count.${kind}`, { did: Math.round(share * decisions), n });
  if (verdict === "not_yet" || kind === "silence" || kind === "special") return count;
  const own = `${formatProbability(share)} ±${Math.round(50 * (high - low))}`;
  return `${t(`habit.share.${kind}`, { own, usual: formatProbability(usual) })} ${count}`;
}

/** Points with their sign: "+3.5", "−3.5". */
function formatGain(gain: number): string {
  return `${gain < 0 ? "−" : "+"}${formatPoints(gain)}`;
}

function bandText(band: number): string {
  const [low, high] = [BANDS[band] ?? 0, BANDS[band + 1] ?? 100];
  if (low === 0) return t("habit.band.lowest", { high: formatPercent(high) });
  if (high === 100) return t("habit.band.highest", { low: formatPercent(low) });
  return t("habit.band.between", { low, high: formatPercent(high) });
}
