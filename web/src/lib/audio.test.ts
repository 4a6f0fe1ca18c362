import { expect, test } from "vitest";
import { PEAK, SAMPLE_RATE, SOUNDS, soundWave, type Sound } from "./audio";

/** The shortest and the longest length of each sound, in milliseconds. */
const LENGTH_MS: Record<Sound, [number, number]> = {
  shake: [150, 350],
  dice: [400, 800],
  cup: [100, 200],
  bid: [50, 100],
  turn: [150, 300],
  call: [300, 600],
  lift: [120, 250],
  count: [60, 120],
  heart: [300, 600],
  stamp: [250, 450],
  fall: [500, 800],
  plank: [400, 700],
  win: [700, 1000],
  pop: [30, 80],
};

test.each(SOUNDS)("the waveform of %s is heard, does not clip, and is as long as it should be", (sound) => {
  for (const step of [0, 12]) {
    const samples = soundWave(sound, step);
    const peak = samples.reduce((highest, sample) => Math.max(highest, Math.abs(sample)), 0);
    const power = Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length);
    expect(samples.every(Number.isFinite)).toBe(true);
    expect(peak).toBeLessThanOrEqual(PEAK + 1e-6);
    expect(peak).toBeGreaterThan(0.1);
    expect(power).toBeGreaterThan(0.01);
    expect(Math.abs(samples.at(-1) ?? 1)).toBeLessThan(0.01); // it ends without a click
    const ms = (1000 * samples.length) / SAMPLE_RATE;
    expect(ms).toBeGreaterThanOrEqual(LENGTH_MS[sound][0]);
    expect(ms).toBeLessThanOrEqual(LENGTH_MS[sound][1]);
  }
});

test("counted dice and lifted cups sound higher, one after another", () => {
  for (const sound of ["count", "lift"] as const) expect(crossings(sound, 12)).toBeGreaterThan(crossings(sound, 0));
});

/** How often the waveform changes its sign. */
function crossings(sound: Sound, step: number): number {
  const samples = soundWave(sound, step);
  return samples.reduce((count, sample, index) => count + Number(sample * (samples[index - 1] ?? 0) < 0), 0);
}
