/** Keeping the screen on, where the browser can. Returns how to let it sleep again. */
export function keepScreenOn(): () => void {
  let lock: WakeLockSentinel | null = null;
  let wanted = true;
  const isWanted = (): boolean => wanted;

  async function ask(): Promise<void> {
    if (!isWanted() || !("wakeLock" in navigator) || document.visibilityState !== "visible") return;
    try {
      lock = await navigator.wakeLock.request("screen");
      if (!isWanted()) void lock.release();
    } catch {
      // the battery is low, or the page was hidden meanwhile
    }
  }

  const again = (): void => void ask();
  document.addEventListener("visibilitychange", again);
  again();
  return () => {
    wanted = false;
    document.removeEventListener("visibilitychange", again);
    void lock?.release();
  };
}
