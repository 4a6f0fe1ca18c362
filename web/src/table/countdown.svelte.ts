/** What time it is, for a turn that runs out; it ticks only while somebody looks at it. */
import { createSubscriber } from "svelte/reactivity";
import type { TableStore } from "./tableStore.svelte";

const TICK_MS = 250;

const looking = createSubscriber((tick) => {
  const timer = setInterval(tick, TICK_MS);
  return () => {
    clearInterval(timer);
  };
});

/** What is left of the turn that is on, in milliseconds; null where there is no clock. */
export function turnTimeLeftMs(table: TableStore): number | null {
  const left = table.match?.left_ms ?? null;
  if (left === null || table.match?.turn === null) return null;
  return Math.max(0, remaining(table, left));
}

/** What is left until the next round begins by itself. */
export function resumeTimeLeftMs(table: TableStore): number | null {
  const left = table.match?.resumes_ms ?? null;
  return left === null ? null : Math.max(0, remaining(table, left));
}

/** The server lets somebody take a table over when its host has been away for half a minute; a second for the way. */
const HOST_AWAY_MS = 31_000;

/** Whether the host has been away for so long that somebody else may see to the table. */
export function canBecomeHost(table: TableStore): boolean {
  const host = table.players.find((one) => one.host);
  const since = host && table.awaySince[host.id];
  if (since === undefined) return false;
  looking();
  return performance.now() - since >= HOST_AWAY_MS;
}

function remaining(table: TableStore, left: number): number {
  if (table.state?.paused) return left;
  looking();
  return left - (performance.now() - table.updatedAt);
}

/** Minutes and seconds, or hours where there are many: "0:24", "1:02:03". */
export function formatClock(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  const two = (part: number): string => String(part).padStart(2, "0");
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const rest = two(seconds % 60);
  return hours > 0 ? `${hours}:${two(minutes)}:${rest}` : `${minutes}:${rest}`;
}
