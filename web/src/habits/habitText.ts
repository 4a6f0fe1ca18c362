/** Habits in words. A habit that costs nothing that can be told is named without a judgement. */
import { i18n, t } from "../lib/i18n.svelte";
import { callLabel, formatDice, formatPercent } from "../lib/formatting";
import type { Ruleset } from "../lib/ruleset";
import type { Habit, HabitReport, Skill } from "../lib/protocol";
import { formatPoints } from "../review/decisionWords";

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
  const own = `${percent(share)} ±${Math.round(50 * (high - low))}`;
  return `${t(`habits.share.${kind}`, { own, usual: percent(usual) })} ${count}`;
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

function percent(share: number): string {
  return formatPercent(Math.round(100 * share));
}
