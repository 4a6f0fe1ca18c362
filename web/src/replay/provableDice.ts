/** Dice from seeds, as the server makes them (protocol 1): HMAC-SHA256, each byte used or, to be fair, skipped. */
import type { Fairness } from "./matchRecord";

const text = new TextEncoder();
const HMAC = { name: "HMAC", hash: "SHA-256" } as const;

/** The promise about a seed: its SHA-256 in hexadecimal. */
export async function commitmentFor(serverSeed: string): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", text.encode(serverSeed)));
  return [...hash].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Numbers worked out from the seeds of a match and a label, the same whenever they are asked for. */
export class SeededDice {
  readonly #key: CryptoKey;

  private constructor(key: CryptoKey) {
    this.#key = key;
  }

  static async create({ protocol, code, number, server_seed, seeds }: Fairness): Promise<SeededDice> {
    const message = [`liarsdice/${protocol}`, code, String(number), ...seeds].join("\n");
    const server = await hmacKey(text.encode(server_seed));
    return new SeededDice(await hmacKey(await crypto.subtle.sign("HMAC", server, text.encode(message))));
  }

  /** So many numbers of 0..below-1; `below` is at most 256. */
  async draw(label: string, below: number, count: number): Promise<number[]> {
    const numbers: number[] = [];
    const usable = 256 - (256 % below);
    for (let counter = 0; numbers.length < count; counter += 1) {
      const block = await crypto.subtle.sign("HMAC", this.#key, text.encode(`${label}/${counter}`));
      for (const byte of new Uint8Array(block)) if (byte < usable && numbers.length < count) numbers.push(byte % below);
    }
    return numbers;
  }
}

function hmacKey(bytes: BufferSource): Promise<CryptoKey> {
  return crypto.subtle.importKey("raw", bytes, HMAC, false, ["sign"]);
}
