/** The parts of a result in words and figures. */
import { i18n } from "../lib/i18n.svelte";

/** From which share of a match on moves are a gain, or a large one. */
const GAIN = 0.05;
const LARGE_GAIN = 0.2;

/** How much moves gave a player, in a coarse step. */
export function gainStep(gain: number): "large_loss" | "loss" | "even" | "gain" | "large_gain" {
  if (Math.abs(gain) < GAIN) return "even";
  const size = Math.abs(gain) < LARGE_GAIN ? "" : "large_";
  return `${size}${gain < 0 ? "loss" : "gain"}`;
}

/** A share of a match as points of 100 with a sign: "+44". */
export function formatGain(share: number): string {
  return new Intl.NumberFormat(i18n.language, { maximumFractionDigits: 0, signDisplay: "exceptZero" })
    .format(100 * share)
    .replace("-", "−");
}
