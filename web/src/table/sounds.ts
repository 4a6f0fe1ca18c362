/** Short sounds of the table, made on the spot: dice at a new round, a knock for a bid, a thump for a call. */
import type { Manners } from "./manners.svelte";
import type { Scene } from "./scene.svelte";
import type { TableStore } from "./store.svelte";

type Sound = "dice" | "bid" | "call" | "turn";

let context: AudioContext | null = null;
let before = "";

/** Sound what has changed at the table; to be called again whenever something has. */
export function sounds(table: TableStore, scene: Scene, manners: Manners): void {
  const { match } = table;
  const now = match ? `${match.number}/${match.round_number}/${match.bids.length}/${match.verdict ? 1 : 0}` : "";
  const sound = now === before || before === "" || !match ? null : which(before, now, table.myTurn);
  before = now;
  if (sound && manners.sound && scene.picture !== "over") play(sound);
}

function which(before: string, now: string, myTurn: boolean): Sound {
  const [was, is] = [before.split("/"), now.split("/")];
  if (is[3] === "1" && was[3] !== "1") return "call";
  if (is[1] !== was[1] || is[0] !== was[0]) return "dice";
  return myTurn ? "turn" : "bid";
}

function play(sound: Sound): void {
  try {
    context ??= new AudioContext();
  } catch {
    return;
  }
  if (context.state !== "running") {
    void context.resume();
    return; // a browser lets nothing sound before the first touch
  }
  switch (sound) {
    case "dice":
      for (let at = 0; at < 5; at += 1)
        knock(context, at * 0.05 + Math.random() * 0.03, 900 + Math.random() * 900, 0.05);
      break;
    case "bid":
      knock(context, 0, 420, 0.08);
      break;
    case "turn":
      knock(context, 0, 620, 0.1);
      knock(context, 0.11, 820, 0.12);
      break;
    case "call":
      knock(context, 0, 150, 0.28);
      break;
  }
}

function knock(audio: AudioContext, after: number, pitch: number, length: number): void {
  const start = audio.currentTime + after;
  const tone = audio.createOscillator();
  const loudness = audio.createGain();
  tone.type = "triangle";
  tone.frequency.setValueAtTime(pitch, start);
  tone.frequency.exponentialRampToValueAtTime(pitch * 0.6, start + length);
  loudness.gain.setValueAtTime(0.12, start);
  loudness.gain.exponentialRampToValueAtTime(0.001, start + length);
  tone.connect(loudness).connect(audio.destination);
  tone.start(start);
  tone.stop(start + length);
}
