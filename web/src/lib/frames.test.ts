import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { afterLayout, inEachFrame } from "./frames";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["requestAnimationFrame", "cancelAnimationFrame"] });
});
afterEach(() => {
  vi.useRealTimers();
});

test("work waits for the frame after next, unless it is cancelled", () => {
  const [done, cancelled] = [vi.fn(), vi.fn()];
  afterLayout(done);
  const cancel = afterLayout(cancelled);
  vi.advanceTimersToNextFrame();
  expect(done).not.toHaveBeenCalled();
  cancel();
  vi.advanceTimersToNextFrame();
  expect([done.mock.calls.length, cancelled.mock.calls.length]).toEqual([1, 0]);
});

test("steps come one in each frame until the last, or until they are cancelled", () => {
  let [steps, others] = [0, 0];
  inEachFrame(() => (steps += 1) < 3);
  const cancel = inEachFrame(() => (others += 1) < 3);
  for (let frame = 0; frame < 3; frame += 1) vi.advanceTimersToNextFrame();
  expect([steps, others]).toEqual([2, 2]);
  cancel();
  for (let frame = 0; frame < 5; frame += 1) vi.advanceTimersToNextFrame();
  expect([steps, others]).toEqual([3, 2]);
});
