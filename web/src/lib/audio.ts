/** Plays the sound effects at the volume that the player chose. */
import { whenIdle } from "./frames";
import { loadLocal, saveLocal } from "./storage";
import { SAMPLE_RATE, soundWave, type Sound } from "./soundWaves";

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
