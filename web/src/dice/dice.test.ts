import { cleanup, fireEvent, render, screen } from "@testing-library/svelte";
import { tick } from "svelte";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import Cup from "../pages/Cup.svelte";
import { onShake, requestMotionAccess } from "./phone";

describe("phone", () => {
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
});

describe("page", () => {
  let nowMs = 0;

  beforeEach(() => {
    vi.spyOn(performance, "now").mockImplementation(() => nowMs);
  });

  function dice(): string {
    return sessionStorage.getItem("liarsdice.cup.dice") ?? "";
  }

  async function press(name: string): Promise<void> {
    await userEvent.click(screen.getByRole("button", { name }));
  }

  test("a double tap rolls once, and another roll needs a confirmation", async () => {
    render(Cup);
    await press("Roll");
    const first = dice();
    expect(first).toMatch(/^[1-6]{5}$/);
    await press("Hold to roll again");
    expect(screen.queryByRole("button", { name: "Tap again to roll all dice again" })).toBeNull();
    nowMs += 2000;
    await press("Hold to roll again");
    await press("Tap again to roll all dice again");
    expect(dice()).toBe(first);
    nowMs += 1000;
    vi.spyOn(crypto, "getRandomValues").mockImplementation((array) => array);
    await press("Tap again to roll all dice again");
    expect(dice()).toBe("11111");
  });

  test("a button that is held rolls again, one let go before does not, and the cup bears the number", async () => {
    vi.useFakeTimers();
    vi.spyOn(crypto, "getRandomValues").mockImplementation((array) => array);
    sessionStorage.setItem("liarsdice.cup.dice", "23456");
    sessionStorage.setItem("liarsdice.cup.rolls", "1");
    render(Cup);
    const button = screen.getByRole("button", { name: "Hold to roll again" });
    await fireEvent.pointerDown(button);
    vi.advanceTimersByTime(500);
    await fireEvent.pointerUp(button);
    vi.advanceTimersByTime(500);
    expect(dice()).toBe("23456");
    expect(screen.getByText("Roll 1")).toBeTruthy();
    await fireEvent.pointerDown(button);
    vi.advanceTimersByTime(700);
    expect(dice()).toBe("11111");
    await tick();
    expect(screen.getByText("Roll 2")).toBeTruthy();
    vi.advanceTimersByTime(2000);
    await fireEvent.pointerUp(button);
    await fireEvent.click(button, { detail: 1 });
    await tick();
    expect(screen.queryByRole("button", { name: "Tap again to roll all dice again" })).toBeNull();
    vi.useRealTimers();
  });

  test("a reload keeps the roll, and a new number of dice applies to the next roll", async () => {
    render(Cup);
    await press("Roll");
    const first = dice();
    nowMs += 2000;
    cleanup();
    render(Cup);
    await press("Lose a die");
    expect(screen.getByText("From the next roll on.")).toBeTruthy();
    await press("Lift the cup");
    expect(screen.getByText(`Your dice: ${Array.from(first).join(", ")}`)).toBeTruthy();
    await press("Roll again");
    expect(dice()).toHaveLength(4);
  });
});
