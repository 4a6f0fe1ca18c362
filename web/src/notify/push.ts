/** Web push: the server wakes this browser when it is the player's turn at a slow table, also with the page closed. */
import { getJson } from "../lib/http";
import type { PushKeyResponse } from "../lib/protocol";
import type { TableStore } from "../table/tableStore.svelte";

/** From this time for a turn on, nobody waits at a table with an open page; the same as on the server. */
const SLOW_TURN_S = 3600;

/** Whether turns at a table last so long that they are pushed. */
export function isSlow({ setting }: TableStore): boolean {
  return (setting?.config.clock.turn_s ?? 0) >= SLOW_TURN_S;
}

/** The endpoint at which a server with a key reaches this browser, null without one. */
export async function pushEndpoint(): Promise<string | null> {
  if (!("serviceWorker" in navigator) || !("PushManager" in globalThis)) return null;
  const worker = await navigator.serviceWorker.getRegistration();
  const { key } = await getJson<PushKeyResponse>("/api/push-key");
  if (!worker || key === "") return null;
  const subscription = await worker.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
  return subscription.endpoint;
}
