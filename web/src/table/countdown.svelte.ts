/**
 * Time left on the clocks of a table, in whole seconds. The values are reactive: the page wakes when the second of a clock
 * that a component shows is over, and not at all while none is shown.
 */
import { createSubscriber } from "svelte/reactivity";
import type { TableStore } from "./tableStore.svelte";

const SECOND_MS = 1000;
export const DAY_S = 24 * 3600;

let timer: ReturnType<typeof setTimeout> | undefined;
let wakesAt = Infinity;
let tick = (): void => undefined;

const untilTick = createSubscriber((update) => {
  tick = update;
  return () => {
    clearTimeout(timer);
    wakesAt = Infinity;
  };
});

/** Has the values that are read now computed again after a time, or before. */
function wakeAfter(ms: number): void {
  untilTick();
  const at = performance.now() + ms;
  if (at >= wakesAt) return;
  clearTimeout(timer);
  wakesAt = at;
  timer = setTimeout(() => {
    wakesAt = Infinity;
    tick();
  }, ms);
}

/** The time left of the current turn in milliseconds, null if there is no clock. */
export function turnTimeLeftMs(table: TableStore): number | null {
  const leftMs = table.match?.left_ms ?? null;
  if (leftMs === null || table.match?.turn === null) return null;
  return Math.max(0, remainingMs(table, leftMs));
}

/** The time until the next round starts by itself in milliseconds, null if it does not. */
export function resumeTimeLeftMs(table: TableStore): number | null {
  const leftMs = table.match?.resumes_ms ?? null;
  return leftMs === null ? null : Math.max(0, remainingMs(table, leftMs));
}

/** The time until a bot plays for the player on turn, who is away, in milliseconds; null if no bot will. */
export function takeoverLeftMs({ takeoverAt, state }: TableStore): number | null {
  if (takeoverAt === null || state?.paused) return null;
  return Math.max(0, untilMs(takeoverAt));
}

/** The time until the next match begins with those who are ready, in milliseconds; null if it waits for everybody. */
export function beginsLeftMs(table: TableStore): number | null {
  const leftMs = table.state?.begins_ms ?? null;
  return leftMs === null ? null : Math.max(0, remainingMs(table, leftMs));
}

/** The server accepts a new host after 30 s of absence. One second more allows for the network. */
const HOST_AWAY_MS = 31_000;

/** Whether the host has been away, or has let people wait, for long enough for another player to become host. */
export function canBecomeHost(table: TableStore): boolean {
  const stalledAt = table.state?.stalled_at_ms ?? null;
  if (stalledAt !== null) {
    const waitMs = stalledAt + SECOND_MS - Date.now();
    if (waitMs <= 0) return true;
    wakeAfter(waitMs);
  }
  const host = table.players.find((player) => player.host);
  const since = host && table.awaySince[host.id];
  if (since === undefined) return false;
  const leftMs = since + HOST_AWAY_MS - performance.now();
  if (leftMs > 0) wakeAfter(leftMs);
  return leftMs <= 0;
}

/** `leftMs` minus the time since its update arrived, up to the next whole second; a pause stops the clock. */
function remainingMs(table: TableStore, leftMs: number): number {
  if (table.state?.paused) return leftMs;
  return untilMs(table.updatedAt + leftMs);
}

/** The time until a moment of `performance.now()`, up to the next whole second. */
function untilMs(at: number): number {
  const exactMs = at - performance.now();
  const seconds = Math.ceil(exactMs / SECOND_MS);
  if (seconds > 0) wakeAfter(exactMs - (seconds - 1) * SECOND_MS);
  return seconds * SECOND_MS;
}

/** A duration as minutes and seconds, or with hours, or as days and hours: "0:24", "1:02:03", "13 d 4 h". */
export function formatClock(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  const twoDigits = (part: number): string => String(part).padStart(2, "0");
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  // the abbreviations are those of all languages of the page
  if (hours >= 24) return `${Math.floor(hours / 24)}\u00a0d ${hours % 24}\u00a0h`;
  const rest = twoDigits(seconds % 60);
  return hours > 0 ? `${hours}:${twoDigits(minutes)}:${rest}` : `${minutes}:${rest}`;
}
