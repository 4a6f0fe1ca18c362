/** Work that waits for a frame, so that it neither lengthens the current one nor forces a layout. */

/**
 * Calls back at the start of the frame after next. What has changed now is laid out then, so that sizes can be read at
 * no cost. Returns a function that cancels it.
 */
export function afterLayout(callback: () => void): () => void {
  let frame = requestAnimationFrame(() => (frame = requestAnimationFrame(callback)));
  return () => cancelAnimationFrame(frame);
}

/** Calls a function once in each frame, from the frame after next on, until it returns false. Returns how to cancel it. */
export function inEachFrame(callback: () => boolean): () => void {
  let cancel = afterLayout(function step() {
    if (!callback()) return;
    const frame = requestAnimationFrame(step);
    cancel = () => cancelAnimationFrame(frame);
  });
  return () => cancel();
}

/**
 * Calls back when the browser has nothing else to do, or after `timeout` milliseconds. Returns a function that cancels it.
 */
export function whenIdle(callback: () => void, timeout?: number): () => void {
  if (!("requestIdleCallback" in globalThis)) {
    const timer = setTimeout(callback, 200);
    return () => clearTimeout(timer);
  }
  const handle = requestIdleCallback(callback, timeout === undefined ? {} : { timeout });
  return () => cancelIdleCallback(handle);
}
