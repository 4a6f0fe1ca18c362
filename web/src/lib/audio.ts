/** Plays the sound effects at the volume that the player chose. */
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

/** Plays a sound, unless sound is off. `step`: semitones. Browsers allow none before the first user gesture. */
export function playSound(sound: Sound, step = 0): void {
  if (loadLocal("sound") === "off") return;
  if ("userActivation" in navigator && !navigator.userActivation.hasBeenActive) return;
  try {
    context ??= new AudioContext();
  } catch {
    return;
  }
  if (context.state !== "running") {
    void context.resume();
    return;
  }
  const gain = context.createGain();
  gain.gain.value = (savedVolume() / 100) ** 2;
  gain.connect(context.destination);
  const source = context.createBufferSource();
  source.buffer = buffers[`${sound}/${step}`] ??= bufferOf(context, sound, step);
  source.connect(gain);
  source.start();
}

function bufferOf(audio: AudioContext, sound: Sound, step: number): AudioBuffer {
  const samples = soundWave(sound, step);
  const buffer = audio.createBuffer(1, samples.length, SAMPLE_RATE);
  buffer.copyToChannel(samples, 0);
  return buffer;
}
