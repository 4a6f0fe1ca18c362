/** Where the server reaches this browser while no page is open. */
import { getJson } from "./http";
import type { PushKeyResponse } from "./protocol";

/** The endpoint at which a server with a key reaches this browser, null without one. */
export async function pushEndpoint(): Promise<string | null> {
  if (!("serviceWorker" in navigator) || !("PushManager" in globalThis)) return null;
  const worker = await navigator.serviceWorker.getRegistration();
  const { key } = await getJson<PushKeyResponse>("/api/push-key");
  if (!worker || key === "") return null;
  const subscription = await worker.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
  return subscription.endpoint;
}
