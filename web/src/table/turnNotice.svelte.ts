/** Tells a player whose page is in the background that it is their turn: by vibration and by a notification. */
import { on } from "svelte/events";
import { pushEndpoint } from "../lib/push";
import type { TableStore } from "./tableStore.svelte";
import { t } from "../lib/i18n.svelte";
import { loadLocal, saveLocal } from "../lib/storage";

/** From this time for a turn on, nobody waits at a table with an open page; the same as on the server. */
const SLOW_TURN_S = 3600;

/** Whether turns at a table last so long that they are pushed. */
export function isSlow({ setting }: TableStore): boolean {
  return (setting?.config.clock.turn_s ?? 0) >= SLOW_TURN_S;
}

const KEY = "notify";
const VIBRATION_MS = [20, 60, 20];

class TurnNotices {
  /** Whether the player wants notifications and the browser allows them. */
  wanted = $state(loadLocal(KEY) === "on" && isAllowed());

  /** Whether this browser has notifications. */
  get supported(): boolean {
    return "Notification" in globalThis;
  }

  /** Switches notifications on, if the player allows them, or off. */
  async set(wanted: boolean): Promise<void> {
    this.wanted = wanted && this.supported && (await Notification.requestPermission()) === "granted";
    saveLocal(KEY, this.wanted ? "on" : "off");
  }
}

/** The choice of this browser, reactive. */
export const turnNotices = new TurnNotices();

function isAllowed(): boolean {
  return "Notification" in globalThis && Notification.permission === "granted";
}

/** Has the server push the turns at a slow table to this browser, or stops that. Call it in an effect. */
export function pushTurns(table: TableStore): void {
  let pushedTo: string | null = null;
  const wanted = $derived(turnNotices.wanted && table.own.player !== null && isSlow(table));
  $effect(() => {
    if (!wanted) {
      if (pushedTo !== null) table.sendQuietly({ type: "set_push", endpoint: pushedTo, wanted: false });
      pushedTo = null;
      return;
    }
    void pushEndpoint().then(
      (endpoint) => {
        if (endpoint === null) return;
        pushedTo = endpoint;
        table.sendQuietly({ type: "set_push", endpoint, wanted: true });
      },
      () => undefined, // the notifications of an open page remain
    );
  });
}

/** Tells the player of each turn that begins while nobody looks at the page. Call it in an effect. */
export function announceTurns(table: TableStore): void {
  const turn = $derived(table.myTurn ? (table.match?.turn_id ?? 0) : 0);
  let told: Promise<() => void> | null = null;
  const close = (): void => {
    void told?.then((closeNotice) => closeNotice());
    told = null;
  };
  $effect(() => {
    const stop = on(document, "visibilitychange", close);
    return () => {
      stop();
      close();
    };
  });
  $effect(() => {
    close();
    if (turn === 0 || !document.hidden) return;
    if ("vibrate" in navigator) navigator.vibrate(VIBRATION_MS);
    if (turnNotices.wanted) told = notify(table.setting?.config.title ?? table.code, table.code);
  });
}

/** Shows a notification and returns a function that closes it. */
async function notify(title: string, code: string): Promise<() => void> {
  const options = { body: t("table.your_turn"), tag: code, icon: "/icon-192.png", data: `/t/${code}` };
  try {
    // phones allow notifications by a service worker only
    const worker = "serviceWorker" in navigator ? await navigator.serviceWorker.getRegistration() : undefined;
    if (worker) {
      await worker.showNotification(title, options);
      return () => {
        void worker.getNotifications({ tag: code }).then((notices) => {
          for (const notice of notices) notice.close();
        });
      };
    }
    const notice = new Notification(title, options);
    notice.onclick = () => window.focus();
    return () => notice.close();
  } catch {
    return () => undefined;
  }
}
