/** Dice derived from seeds with HMAC-SHA256, as the server does it (dice protocol 1). Biased bytes are skipped. */
import type { Fairness } from "./matchRecord";

const text = new TextEncoder();
const HMAC = { name: "HMAC", hash: "SHA-256" } as const;

/** The commitment to a seed: its SHA-256 in hexadecimal. */
export async function commitmentFor(serverSeed: string): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", text.encode(serverSeed)));
  return [...hash].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Random numbers that depend only on the seeds of a match and a label. */
export class SeededDice {
  readonly #key: CryptoKey;

  private constructor(key: CryptoKey) {
    this.#key = key;
  }

  /** Derives the key of a match from its seeds. */
  static async create({ protocol, code, number, server_seed, seeds }: Fairness): Promise<SeededDice> {
    const message = [`liarsdice/${protocol}`, code, String(number), ...seeds].join("\n");
    const server = await hmacKey(text.encode(server_seed));
    return new SeededDice(await hmacKey(await crypto.subtle.sign("HMAC", server, text.encode(message))));
  }

  /** Draws `count` numbers from 0 to `below` - 1. `below` is at most 256. */
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
