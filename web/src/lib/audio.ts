/** Plays the sound effects at the volume that the player chose. */
import { whenIdle } from "./frames";
import { loadLocal, saveLocal } from "./storage";

export const SAMPLE_RATE = 24_000;
/** The highest sample of any sound: −9 dB, so that two at the same time do not clip. */
export const PEAK = 0.355;

/** A tone that slides between two frequencies (Hz) over `length` seconds, from `at` seconds on. */
interface Tone {
  kind: "sine" | "triangle" | "sawtooth";
  at: number;
  from: number;
  to: number;
  length: number;
  loudness: number;
}

/** Noise around a frequency (Hz). */
interface Noise {
  kind: "noise";
  at: number;
  pitch: number;
  length: number;
  loudness: number;
}

type Part = Tone | Noise;
const SEMITONE = 2 ** (1 / 12);

function tone(kind: Tone["kind"], at: number, from: number, to: number, length: number, loudness = 1): Tone {
  return { kind, at, from, to, length, loudness };
}

function noise(at: number, pitch: number, length: number, loudness = 1): Noise {
  return { kind: "noise", at, pitch, length, loudness };
}

/** Hits of bone or wood, each with a little of its own pitch. */
function hits(random: () => number, times: number[], pitch: number, length: number): Noise[] {
  return times.map((at, index) => noise(at, pitch * (0.7 + 0.6 * random()), length, 1 - (0.6 * index) / times.length));
}

/** The parts of each sound. `step` raises the pitch of sounds that climb, `random` is the same at every call. */
const RECIPES = {
  shake: (random) => hits(random, [0, 0.03, 0.07, 0.12, 0.15, 0.19, 0.24], 2600, 0.03),
  dice: (random) => hits(random, [0, 0.05, 0.09, 0.15, 0.19, 0.26, 0.34, 0.36, 0.45, 0.57], 3000, 0.035),
  cup: () => [noise(0, 300, 0.12), tone("sine", 0, 140, 70, 0.14, 0.8)],
  bid: () => [tone("triangle", 0, 420, 260, 0.07)],
  turn: () => [tone("triangle", 0, 310, 300, 0.09), tone("triangle", 0.12, 410, 400, 0.1)],
  call: () => [
    noise(0, 500, 0.2, 0.5),
    noise(0.3, 200, 0.2),
    tone("sawtooth", 0.3, 196, 146, 0.2, 0.35),
    tone("sine", 0.3, 80, 50, 0.2, 0.9),
  ],
  lift: (_, step) => [
    noise(0, 900 * SEMITONE ** step, 0.18, 0.8),
    tone("sine", 0, 240 * SEMITONE ** step, 330 * SEMITONE ** step, 0.16, 0.4),
  ],
  count: (_, step) => [
    tone("triangle", 0, 330 * SEMITONE ** step, 320 * SEMITONE ** step, 0.09),
    noise(0, 1500, 0.03, 0.5),
  ],
  heart: () => [tone("sine", 0, 70, 45, 0.16), tone("sine", 0.24, 62, 40, 0.2, 0.8)],
  stamp: () => [noise(0, 160, 0.3), tone("sine", 0, 110, 42, 0.35), noise(0, 1200, 0.05, 0.4)],
  fall: (random) => [...hits(random, [0, 0.16, 0.28], 900, 0.07), ...hits(random, [0.36, 0.42, 0.49, 0.57], 500, 0.05)],
  plank: () => [noise(0, 240, 0.2), tone("triangle", 0.06, 880, 870, 0.5, 0.3), tone("sine", 0, 120, 60, 0.2, 0.8)],
  win: () =>
    [392, 523.25, 659.25, 783.99].map((pitch, index) =>
      tone("triangle", index * 0.12, pitch, pitch, index === 3 ? 0.55 : 0.2),
    ),
  pop: () => [tone("sine", 0, 380, 720, 0.05)],
} satisfies Record<string, (random: () => number, step: number) => Part[]>;

export type Sound = keyof typeof RECIPES;
export const SOUNDS = Object.keys(RECIPES) as Sound[];

/** How loud a sound is beside the loudest ones. What happens often is quiet. */
const LEVELS: Partial<Record<Sound, number>> = { bid: 0.5, turn: 0.7, count: 0.6, lift: 0.6, pop: 0.4, shake: 0.7 };

/** The samples of a sound at `SAMPLE_RATE`, between −`PEAK` and `PEAK`. `step`: semitones, for sounds that climb. */
export function soundWave(sound: Sound, step = 0): Float32Array<ArrayBuffer> {
  const random = seededRandom(sound.length + 31 * step);
  const parts: Part[] = RECIPES[sound](random, step);
  const seconds = Math.max(...parts.map(({ at, length }) => at + length));
  const samples = new Float32Array(Math.ceil(seconds * SAMPLE_RATE));
  for (const part of parts) addPart(samples, part, random);
  const highest = samples.reduce((peak, sample) => Math.max(peak, Math.abs(sample)), 0);
  return samples.map((sample) => (sample * PEAK * (LEVELS[sound] ?? 1)) / highest);
}

function addPart(samples: Float32Array, part: Part, random: () => number): void {
  const start = Math.round(part.at * SAMPLE_RATE);
  const count = Math.min(Math.floor(part.length * SAMPLE_RATE), samples.length - start);
  const next = part.kind === "noise" ? bandOfNoise(part.pitch, random) : oscillator(part, count);
  for (let index = 0; index < count; index += 1) {
    const attack = Math.min(1, index / (0.002 * SAMPLE_RATE));
    const fade = Math.exp((-5 * index) / count) * (1 - index / count);
    samples[start + index] = (samples[start + index] ?? 0) + part.loudness * attack * fade * next(index);
  }
}

function oscillator({ kind, from, to }: Tone, count: number): (index: number) => number {
  let phase = 0;
  return (index) => {
    phase += (from * (to / from) ** (index / count)) / SAMPLE_RATE;
    const part = phase % 1;
    if (kind === "sine") return Math.sin(2 * Math.PI * phase);
    return kind === "sawtooth" ? 2 * part - 1 : 4 * Math.abs(part - 0.5) - 1;
  };
}

/** Noise through a second-order band-pass filter (Bristow-Johnson, Audio EQ Cookbook). */
function bandOfNoise(pitch: number, random: () => number): () => number {
  const omega = (2 * Math.PI * pitch) / SAMPLE_RATE;
  const alpha = Math.sin(omega) / 5;
  const [b0, a0, a1, a2] = [alpha, 1 + alpha, -2 * Math.cos(omega), 1 - alpha];
  let [x1, x2, y1, y2] = [0, 0, 0, 0];
  return () => {
    const x = 2 * random() - 1;
    const y = (b0 * (x - x2) - a1 * y1 - a2 * y2) / a0;
    [x2, x1, y2, y1] = [x1, x, y1, y];
    return 4 * y;
  };
}

/** A generator of numbers from 0 to 1 (mulberry32), the same ones for the same seed. */
function seededRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const DEFAULT_VOLUME = 70;

let context: AudioContext | null = null;
const buffers: Record<string, AudioBuffer> = {};

/** The volume of this browser in percent, whether or not sound is on. */
export function savedVolume(): number {
  const saved = Number(loadLocal("volume") ?? DEFAULT_VOLUME);
  return saved > 0 && saved <= 100 ? saved : DEFAULT_VOLUME;
}

/** Changes the volume, in percent. */
export function saveVolume(volume: number): void {
  saveLocal("volume", String(volume));
}

/** The sounds of a round, which are computed while the page has nothing else to do. */
const PREPARED: readonly [Sound, number][] = [
  ...(["shake", "dice", "call", "bid", "turn", "pop"] as const).map((sound): [Sound, number] => [sound, 0]),
  ...Array.from({ length: 6 }, (_, index): [Sound, number] => ["lift", index + 1]),
  ...Array.from({ length: 12 }, (_, index): [Sound, number] => ["count", index + 1]),
];

/** Opens the sound system and computes sounds, one at a time, so that none of that lengthens a frame of the match. */
export function prepareSounds(): void {
  const next = PREPARED.find(([sound, step]) => !(`${sound}/${step}` in buffers));
  const audio = next && openContext();
  if (!next || !audio) return;
  buffers[next.join("/")] = bufferOf(audio, ...next);
  whenIdle(prepareSounds);
}

/** The sound system, null if there is none or no sound is allowed. */
function openContext(): AudioContext | null {
  if (loadLocal("sound") === "off") return null;
  if ("userActivation" in navigator && !navigator.userActivation.hasBeenActive) return null;
  try {
    context ??= new AudioContext();
  } catch {
    return null;
  }
  return context;
}

/** Plays a sound, unless sound is off. `step`: semitones. Browsers allow none before the first user gesture. */
export function playSound(sound: Sound, step = 0): void {
  if (context === null) {
    whenIdle(prepareSounds); // to open the sound system takes longer than a frame
    return;
  }
  const audio = openContext();
  if (!audio) return;
  if (audio.state !== "running") {
    void audio.resume();
    return;
  }
  const gain = audio.createGain();
  gain.gain.value = (savedVolume() / 100) ** 2;
  gain.connect(audio.destination);
  const source = audio.createBufferSource();
  source.buffer = buffers[`${sound}/${step}`] ??= bufferOf(audio, sound, step);
  source.connect(gain);
  source.start();
}

function bufferOf(audio: AudioContext, sound: Sound, step: number): AudioBuffer {
  const samples = soundWave(sound, step);
  const buffer = audio.createBuffer(1, samples.length, SAMPLE_RATE);
  buffer.copyToChannel(samples, 0);
  return buffer;
}
