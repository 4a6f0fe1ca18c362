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

  const update = (): void => void requestLock();
  document.addEventListener("visibilitychange", update);
  update();
  return () => {
    active = false;
    document.removeEventListener("visibilitychange", update);
    void lock?.release();
  };
}
