import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { onShake, requestMotionAccess } from "./phone";

const STRONG = 20;
const WEAK = 5;
const callback = vi.fn();
let stop: () => void;

beforeEach(() => {
  vi.useFakeTimers();
  callback.mockClear();
  stop = onShake(callback);
});
afterEach(() => {
  stop();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Moves the phone once after a pause in milliseconds. Gravity is no part of the acceleration. */
function move(acceleration: number, pauseMs = 100): void {
  vi.advanceTimersByTime(pauseMs);
  const event = Object.assign(new Event("devicemotion"), { acceleration: { x: 0, y: -acceleration, z: null } });
  Object.defineProperty(event, "timeStamp", { value: performance.now() });
  dispatchEvent(event);
}

test("a phone that was shaken and rests is one shake, however long it was shaken", () => {
  for (let movement = 0; movement < 12; movement += 1) move(STRONG);
  expect(callback).not.toHaveBeenCalled();
  vi.advanceTimersByTime(400);
  expect(callback).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(5000);
  expect(callback).toHaveBeenCalledTimes(1);
});

test("weak movements, two strong ones, and strong ones far apart are no shake", () => {
  for (let movement = 0; movement < 12; movement += 1) move(WEAK);
  move(STRONG);
  move(STRONG);
  vi.advanceTimersByTime(2000);
  for (let movement = 0; movement < 5; movement += 1) move(STRONG, 600);
  vi.advanceTimersByTime(2000);
  expect(callback).not.toHaveBeenCalled();
});

test("after the end no shake is reported, not even one that has begun", () => {
  for (let movement = 0; movement < 5; movement += 1) move(STRONG);
  stop();
  vi.advanceTimersByTime(2000);
  expect(callback).not.toHaveBeenCalled();
});

test.each([
  ["granted", true],
  ["denied", false],
])("where the browser asks for permission, the answer %s decides", async (answer, allowed) => {
  vi.stubGlobal("DeviceMotionEvent", { requestPermission: () => Promise.resolve(answer) });
  expect(await requestMotionAccess()).toBe(allowed);
});

test("a browser without a motion sensor allows nothing", async () => {
  vi.stubGlobal("DeviceMotionEvent", undefined);
  Reflect.deleteProperty(globalThis, "DeviceMotionEvent");
  expect(await requestMotionAccess()).toBe(false);
});
