import { expect, test } from "vitest";
import { sha256 } from "./seeds";

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
