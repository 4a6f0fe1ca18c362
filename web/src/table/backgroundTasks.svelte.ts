/** What the page of a table does besides showing it: seeds for the dice, sounds, and what this browser remembers. */
import { untrack } from "svelte";
import { on } from "svelte/events";
import { keepScreenOn } from "../dice/phone";
import { playSound, type Sound, prepareSounds } from "../lib/audio";
import type { BoardState } from "../board/boardState.svelte";
import type { TableStore } from "./tableStore.svelte";
import { keepSeen, pastCalls, seenSeq } from "../reveal/missedCalls";
import { ownFace } from "../lib/player.svelte";
import { rememberMatches } from "../history/rememberMatches.svelte";
import { heldSeat } from "../lib/browserState.svelte";
import { whenIdle } from "../lib/frames";
import { keepRevealed, seedFor } from "../lib/seeds";
import { announceTurns, isSlow, pushTurns } from "./turnNotice.svelte";
import { commentOn } from "../voices/banter";

interface Snapshot {
  match: number;
  round: number;
  bids: number;
  revealed: boolean;
  /** How far the reveal that is animated has come. */
  lifted: number;
  awaited: boolean;
  stamped: boolean;
  told: boolean;
  announced: boolean;
  over: boolean;
}

let previous: Snapshot | null = null;

/** Plays the sound of the change since the previous call. Call it after every change. */
function playSoundEffects(table: TableStore, board: BoardState): void {
  const current = takeSnapshot(table, board);
  if (previous && current) {
    const sound = soundFor(previous, current, table.myTurn);
    if (sound) playSound(sound, sound === "lift" ? current.lifted : 0);
  }
  previous = current;
}

function takeSnapshot({ match }: TableStore, board: BoardState): Snapshot | null {
  if (!match) return null;
  const { number, round_number: round, bids, verdict } = match;
  const { score, liftedCount: lifted, liftOrder, stamped, done: told } = board.reveal;
  return {
    match: number,
    round,
    bids: bids.length,
    revealed: verdict !== null,
    lifted,
    awaited: score !== null && lifted === liftOrder.length - 1,
    stamped,
    told: told && verdict !== null && verdict.losses.length > 0,
    announced: board.announcesSpecialRound,
    over: board.isOver,
  };
}

function soundFor(before: Snapshot, now: Snapshot, myTurn: boolean): Sound | null {
  if (now.over && !before.over) return "win";
  if (now.revealed && !before.revealed) return "call";
  if (now.told && !before.told) return "fall";
  if (now.stamped && !before.stamped) return "stamp";
  if (now.awaited && !before.awaited) return "heart";
  if (now.lifted > before.lifted) return "lift";
  if (now.announced && !before.announced) return "plank";
  if (now.match !== before.match || now.round !== before.round) return "cup";
  if (now.bids === before.bids) return null;
  return myTurn ? "turn" : "bid";
}

const MOST = 6;

/** Offers what the player has missed whenever they come back to the table. Call it in an effect. */
function offerMissedCalls(table: TableStore, board: BoardState): void {
  let hidden = $state(document.hidden);
  let returns = true;
  $effect(() => on(document, "visibilitychange", () => (hidden = document.hidden)));
  $effect(() => {
    const { seq } = table;
    if (hidden) returns = true;
    if (hidden || seq === 0 || table.own.player === null) return;
    untrack(() => {
      if (returns) offer(table, board);
      returns = false;
      keepSeen(table.code, seq);
    });
  });
}

function offer(table: TableStore, board: BoardState): void {
  const seen = seenSeq(table.code);
  if (seen === null) return;
  const calls = pastCalls(table.news);
  // the board shows the latest call until the next round begins
  if (board.reveal.verdict) calls.pop();
  board.missedCalls = calls.filter((call) => call.seq > seen).slice(-MOST);
}

/** Starts all background tasks. Returns a function that ends them. */
export function startBackgroundTasks(table: TableStore, board: BoardState): () => void {
  return $effect.root(() => {
    commitToSeeds(table);
    revealSeeds(table);
    rememberSeat(table);
    rememberMatches(table, board);
    bringFace(table);
    offerMissedCalls(table, board);
    announceTurns(table);
    pushTurns(table);
    letBotsSpeak(table, board);
    prepareSoundsOnGesture();
    $effect(() => (table.state === null || isSlow(table) ? undefined : keepScreenOn()));
    $effect(() => playSoundEffects(table, board));
  });
}

/** Prepares the sounds after the first tap or key, before which browsers allow none. Call it in an effect. */
function prepareSoundsOnGesture(): void {
  for (const type of ["pointerup", "keydown"] as const)
    $effect(() => on(window, type, () => whenIdle(prepareSounds), { once: true }));
}

/** Lets bots comment, and shows what is said about a reveal as soon as the reveal has told it. */
function letBotsSpeak(table: TableStore, board: BoardState): void {
  board.talk.onLine = () => playSound("pop");
  board.talk.commentator = (item, earlier) => commentOn(item, earlier, table.code, table.players, table.rules);
  $effect(() => {
    if (board.news.length > 0) untrack(() => board.hear());
  });
}

/** Commits to a seed for the next match, unless this or another page of the player has done so. */
function commitToSeeds(table: TableStore): void {
  let committedFor = 0;
  $effect(() => {
    const next = (table.match?.number ?? 0) + 1;
    if (!table.me || table.me.gone || table.me.committed || next <= committedFor) return;
    committedFor = next;
    untrack(() => table.commitToSeed());
  });
}

/** Reveals the seed once the match has begun and everybody's commitments are public. */
function revealSeeds(table: TableStore): void {
  let revealedFor = 0;
  $effect(() => {
    const { match, seat } = table;
    if (!match?.seeds || seat === null || match.seeds.revealed.includes(seat) || match.number <= revealedFor) return;
    const seed = seedFor(match.seeds.commitments[seat] ?? "");
    if (seed === null) return;
    revealedFor = match.number;
    keepRevealed(table.code, match.number);
    untrack(() => table.sendQuietly({ type: "reveal_seed", seed }));
  });
}

/** Remembers the seat for the other pages, and forgets it when it is lost. */
function rememberSeat(table: TableStore): void {
  $effect(() => {
    const { code, status, state, setting, own } = table;
    if (status === "missing" || (state && own.player === null)) heldSeat.release(code);
    else if (own.player !== null && setting) heldSeat.hold({ code, title: setting.config.title });
  });
}

/** Tells the table the picture that the player chose, whenever it has another one. */
function bringFace(table: TableStore): void {
  const wanted = $derived(
    table.me && !table.me.gone && (table.me.face ?? 0) !== ownFace.current ? ownFace.current : null,
  );
  $effect(() => {
    const face = wanted;
    if (face !== null) untrack(() => table.sendQuietly({ type: "choose_face", face }));
  });
}
