/** What a phone as a cup needs: it detects shaking and keeps the screen on. */
import { on } from "svelte/events";

/** A shake is this many strong movements in this time, followed by rest. */
const MIN_ACCELERATION = 14; // m/s², without gravity
const MIN_MOVEMENTS = 3;
const WINDOW_MS = 900;
const REST_MS = 350;

/** On iOS a page must ask for permission, in reaction to a tap. */
interface MotionPermission {
  requestPermission?: () => Promise<PermissionState>;
}

/** Whether the page may read the motion sensor; asks for permission if needed. */
export async function requestMotionAccess(): Promise<boolean> {
  if (!("DeviceMotionEvent" in window)) return false;
  const { requestPermission } = DeviceMotionEvent as unknown as MotionPermission;
  if (!requestPermission) return true;
  try {
    return (await requestPermission.call(DeviceMotionEvent)) === "granted";
  } catch {
    return false;
  }
}

/** Calls `callback` after each shake. Returns a function that stops it. */
export function onShake(callback: () => void): () => void {
  let movements: number[] = [];
  let restTimer: ReturnType<typeof setTimeout> | undefined;

  function onMotion({ acceleration, timeStamp }: DeviceMotionEvent): void {
    const { x, y, z } = acceleration ?? { x: 0, y: 0, z: 0 };
    if (Math.hypot(x ?? 0, y ?? 0, z ?? 0) < MIN_ACCELERATION) return;
    movements = [...movements.filter((time) => timeStamp - time < WINDOW_MS), timeStamp];
    if (movements.length < MIN_MOVEMENTS) return;
    clearTimeout(restTimer);
    restTimer = setTimeout(() => {
      movements = [];
      callback();
    }, REST_MS);
  }

  const stop = on(window, "devicemotion", onMotion);
  return () => {
    clearTimeout(restTimer);
    stop();
  };
}

/** Keeps the screen on if the browser supports it. Returns a function that stops it. */
export function keepScreenOn(): () => void {
  let lock: WakeLockSentinel | null = null;
  let active = true;
  const isActive = (): boolean => active;

  async function requestLock(): Promise<void> {
    if (!isActive() || !("wakeLock" in navigator) || document.visibilityState !== "visible") return;
    try {
      lock = await navigator.wakeLock.request("screen");
      if (!isActive()) void lock.release();
    } catch {
      // the battery is low, or the page was hidden in the meantime
    }
  }

  const stop = on(document, "visibilitychange", () => void requestLock());
  void requestLock();
  return () => {
    active = false;
    stop();
    void lock?.release();
  };
}
