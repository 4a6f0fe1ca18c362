/** Sound effects, synthesised from tones and noise. The caller checks `soundEnabled` first. */
import { loadLocal } from "./storage";

export const SOUNDS = ["dice", "cup", "bid", "turn", "call", "win"] as const;
export type Sound = (typeof SOUNDS)[number];

let context: AudioContext | null = null;
let noiseBuffer: AudioBuffer | null = null;

/** Whether sound is switched on in this browser. */
export function soundEnabled(): boolean {
  return loadLocal("sound") !== "off";
}

/** Plays a sound. Browsers allow none before the first user gesture. */
export function playSound(sound: Sound): void {
  if ("userActivation" in navigator && !navigator.userActivation.hasBeenActive) return;
  try {
    context ??= new AudioContext();
  } catch {
    return;
  }
  if (context.state === "running") SYNTHS[sound](context);
  else void context.resume();
}

const SYNTHS: Record<Sound, (audio: AudioContext) => void> = {
  dice: (audio) => {
    for (let hit = 0; hit < 14; hit += 1) {
      const delay = hit * 0.045 + Math.random() * 0.03;
      noise(audio, delay, { pitch: 1800 + Math.random() * 2600, length: 0.035, loudness: 0.25 - hit * 0.008 });
    }
  },
  cup: (audio) => {
    noise(audio, 0, { pitch: 300, length: 0.12, loudness: 0.6 });
    tone(audio, 0, { from: 140, to: 70, length: 0.16, loudness: 0.35, shape: "sine" });
  },
  bid: (audio) => {
    tone(audio, 0, { from: 420, to: 260, length: 0.08, loudness: 0.14, shape: "triangle" });
  },
  turn: (audio) => {
    tone(audio, 0, { from: 620, to: 600, length: 0.1, loudness: 0.12, shape: "triangle" });
    tone(audio, 0.11, { from: 820, to: 800, length: 0.14, loudness: 0.12, shape: "triangle" });
  },
  call: (audio) => {
    noise(audio, 0, { pitch: 220, length: 0.2, loudness: 0.5 });
    tone(audio, 0, { from: 196, to: 146, length: 0.34, loudness: 0.16, shape: "sawtooth" });
    tone(audio, 0.02, { from: 233, to: 174, length: 0.34, loudness: 0.1, shape: "sawtooth" });
  },
  win: (audio) => {
    for (const [index, pitch] of [392, 523.25, 659.25, 783.99].entries()) {
      tone(audio, index * 0.12, {
        from: pitch,
        to: pitch,
        length: index === 3 ? 0.6 : 0.2,
        loudness: 0.14,
        shape: "triangle",
      });
    }
  },
};

/** A tone that slides between two frequencies (Hz) over `length` seconds. */
interface Tone {
  from: number;
  to: number;
  length: number;
  loudness: number;
  shape: OscillatorType;
}

function tone(audio: AudioContext, delay: number, { from, to, length, loudness, shape }: Tone): void {
  const start = audio.currentTime + delay;
  const source = audio.createOscillator();
  source.type = shape;
  source.frequency.setValueAtTime(from, start);
  source.frequency.exponentialRampToValueAtTime(to, start + length);
  source.connect(fadeOut(audio, start, length, loudness));
  source.start(start);
  source.stop(start + length);
}

/** Noise around a frequency (Hz) for `length` seconds. */
interface Noise {
  pitch: number;
  length: number;
  loudness: number;
}

function noise(audio: AudioContext, delay: number, { pitch, length, loudness }: Noise): void {
  const start = audio.currentTime + delay;
  const source = audio.createBufferSource();
  source.buffer = noiseBuffer ??= createNoise(audio);
  const filter = audio.createBiquadFilter();
  filter.type = "bandpass";
  filter.frequency.value = pitch;
  filter.Q.value = 2.5;
  source.connect(filter).connect(fadeOut(audio, start, length, loudness));
  source.start(start, Math.random() * 0.5, length);
}

function fadeOut(audio: AudioContext, start: number, length: number, loudness: number): GainNode {
  const gain = audio.createGain();
  gain.gain.setValueAtTime(loudness, start);
  gain.gain.exponentialRampToValueAtTime(0.001, start + length);
  gain.connect(audio.destination);
  return gain;
}

function createNoise(audio: AudioContext): AudioBuffer {
  const buffer = audio.createBuffer(1, audio.sampleRate, audio.sampleRate);
  const samples = buffer.getChannelData(0);
  for (let index = 0; index < samples.length; index += 1) samples[index] = Math.random() * 2 - 1;
  return buffer;
}
