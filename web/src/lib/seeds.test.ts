import { beforeEach, expect, test, vi, describe } from "vitest";
import { keepPromise, newCommitment, promiseOf, seedFor, sha256 } from "./seeds";

describe("seeds", () => {
  beforeEach(() => {
    localStorage.clear();
  });

  test("every commitment is the hash of a new seed that the browser keeps", () => {
    const [first, second] = [newCommitment(), newCommitment()];
    expect(first).not.toBe(second);
    for (const commitment of [first, second]) expect(sha256(seedFor(commitment) ?? "")).toBe(commitment);
    expect(seedFor("0".repeat(64))).toBeNull();
  });

  test("a match has the promise that was seen first, and old ones are forgotten", () => {
    keepPromise("FLEA", 1, "first");
    keepPromise("FLEA", 1, "second");
    expect(promiseOf("FLEA", 1)).toBe("first");
    for (let number = 2; number < 20; number += 1) keepPromise("FLEA", number, "next");
    expect(promiseOf("FLEA", 1)).toBeNull();
    expect(promiseOf("FLEA", 19)).toBe("next");
  });

  test("a browser without storage keeps promises and seeds until the page is closed", () => {
    vi.spyOn(Storage.prototype, "setItem").mockImplementation(() => {
      throw new DOMException("full", "QuotaExceededError");
    });
    keepPromise("GNAT", 1, "first");
    const commitment = newCommitment();
    vi.restoreAllMocks();
    expect(promiseOf("GNAT", 1)).toBe("first");
    expect(sha256(seedFor(commitment) ?? "")).toBe(commitment);
    expect(localStorage).toHaveLength(0);
  });

  test("values that the page did not write are ignored", () => {
    localStorage.setItem("liarsdice.seeds", "{nonsense");
    expect(sha256(seedFor(newCommitment()) ?? "")).toHaveLength(64);
  });
});

test("the examples of the standard have their hashes", () => {
  expect(sha256("")).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  expect(sha256("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
});

test("texts of every length have the hash that the browser computes", async () => {
  for (let length = 0; length < 200; length += 1) {
    const text = "é7xA".repeat(50).slice(0, length);
    const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
    expect(sha256(text)).toBe([...hash].map((byte) => byte.toString(16).padStart(2, "0")).join(""));
  }
});
