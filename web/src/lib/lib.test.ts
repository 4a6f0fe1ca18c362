import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import text from "../../../tests/golden/sentence_cases.json?raw";
import type { RecordedEvent } from "../replay/matchRecord";
import { outcome } from "../reveal/callSummary";
import { RULES } from "../testing/tableFrames";
import { PEAK, SAMPLE_RATE, SOUNDS, type Sound, soundWave } from "./audio";
import { heldSeat } from "./browserState.svelte";
import { callLabel, formatBid, formatPercent, formatProbability, hundredths, joinList } from "./formatting";
import { afterLayout, inEachFrame } from "./frames";
import { ApiError, errorText } from "./http";
import { LANGUAGES, type Language, chooseLanguage, preferredLanguage, setLanguage, shorten, t } from "./i18n.svelte";
import { translateLabel } from "./labels";
import { narrateEvent } from "./narration";
import { rememberName } from "./player.svelte";
import {
  type GameEvent,
  type Ruleset,
  type Verdict,
  doubleDice,
  facesAt,
  facesIfMixed,
  isFaceOff,
  wordOfOnes,
} from "./ruleset";
import { keepPromise, newCommitment, promiseOf, seedFor, sha256 } from "./seeds";

describe("audio", () => {
  /** The shortest and the longest length of each sound, in milliseconds. */
  const LENGTH_MS: Record<Sound, [number, number]> = {
    shake: [150, 350],
    dice: [400, 800],
    cup: [100, 200],
    bid: [50, 100],
    turn: [150, 300],
    call: [300, 600],
    lift: [120, 250],
    count: [60, 120],
    heart: [300, 600],
    stamp: [250, 450],
    fall: [500, 800],
    plank: [400, 700],
    win: [700, 1000],
    pop: [30, 80],
  };

  test.each(SOUNDS)("the waveform of %s is heard, does not clip, and is as long as it should be", (sound) => {
    for (const step of [0, 12]) {
      const samples = soundWave(sound, step);
      const peak = samples.reduce((highest, sample) => Math.max(highest, Math.abs(sample)), 0);
      const power = Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length);
      expect(samples.every(Number.isFinite)).toBe(true);
      expect(peak).toBeLessThanOrEqual(PEAK + 1e-6);
      expect(peak).toBeGreaterThan(0.1);
      expect(power).toBeGreaterThan(0.01);
      expect(Math.abs(samples.at(-1) ?? 1)).toBeLessThan(0.01); // it ends without a click
      const ms = (1000 * samples.length) / SAMPLE_RATE;
      expect(ms).toBeGreaterThanOrEqual(LENGTH_MS[sound][0]);
      expect(ms).toBeLessThanOrEqual(LENGTH_MS[sound][1]);
    }
  });

  test("counted dice and lifted cups sound higher, one after another", () => {
    for (const sound of ["count", "lift"] as const) expect(crossings(sound, 12)).toBeGreaterThan(crossings(sound, 0));
  });

  /** How often the waveform changes its sign. */
  function crossings(sound: Sound, step: number): number {
    const samples = soundWave(sound, step);
    return samples.reduce((count, sample, index) => count + Number(sample * (samples[index - 1] ?? 0) < 0), 0);
  }
});

describe("frames", () => {
  beforeEach(() => vi.useFakeTimers({ toFake: ["requestAnimationFrame", "cancelAnimationFrame"] }));

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
});

describe("rulesets", () => {
  const withDice = (dice: Partial<Ruleset["dice"]>): Ruleset =>
    ({ dice: { per_player: 5, faces: 12, special_face: 1, ...dice } }) as Ruleset;

  test("seats that are not listed have dice with as many faces as the rules say", () => {
    const mixed = withDice({ faces_by_seat: [4, 6] });
    expect([0, 1, 2].map((seat) => facesAt(mixed, seat))).toEqual([4, 6, 12]);
    expect([0, 1, 2].map((seat) => facesIfMixed(mixed, seat))).toEqual([4, 6, 12]);
    expect(facesAt(withDice({}), 0)).toBe(12);
  });

  test("nothing is said of faces if all dice have as many", () => {
    expect(facesIfMixed(withDice({}), 0)).toBeNull();
    expect(facesIfMixed(undefined, 0)).toBeNull();
  });

  test("only the face of one pip has a word for its sign", () => {
    const aces = { ...RULES, labels: { ...RULES.labels, special_face: "aces" } };
    const sixes = { ...aces, dice: { ...RULES.dice, special_face: 6 } };
    expect([undefined, RULES, aces, sixes].map(wordOfOnes)).toEqual([undefined, undefined, "aces", undefined]);
  });

  const rules = (face_off?: "sum"): Ruleset => ({ bidding: { face_off } }) as Ruleset;

  test.each([
    [[1, 0, 1], true],
    [[1, 1], true],
    [[1, 2], false],
    [[2, 0], false],
    [[1, 1, 1], false],
  ])("dice %j make a face-off: %s", (dice, expected) => expect(isFaceOff(rules("sum"), dice)).toBe(expected));

  test("there is none by rules without it", () => {
    expect(isFaceOff(rules(), [1, 1])).toBe(false);
    expect(isFaceOff(undefined, [1, 1])).toBe(false);
  });
});

describe("seeds and hashes", () => {
  describe("seeds", () => {
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
});

describe("errors and seats", () => {
  const refusal = new ApiError("illegal", "the match is paused");

  test("an English reader gets the explanation of the server", () => {
    expect(errorText(refusal)).toBe("That is not possible: the match is paused.");
  });

  test("a reader of another language gets a translated text, not the English explanation", async () => {
    await setLanguage("es");
    expect(errorText(refusal)).toBe(t("error.illegal"));
    expect(errorText(new ApiError("malformed", "no such face"))).toBe(t("error.malformed"));
    expect(errorText(refusal)).not.toContain("paused");
  });

  test("an error without an explanation has a text of its own", () => {
    expect(errorText(new ApiError("unavailable", ""))).toBe("That does not exist on this server.");
  });

  describe("held seat", () => {
    const SEAT = { code: "FLEA", title: "The Crooked Spoon" };

    afterEach(() => {
      heldSeat.release("FLEA");
    });

    test("another tab learns of a seat that is taken or left", () => {
      localStorage.setItem("liarsdice.seat", JSON.stringify(SEAT));
      dispatchEvent(new StorageEvent("storage"));
      expect(heldSeat.current).toEqual(SEAT);
      localStorage.setItem("liarsdice.seat", "null");
      dispatchEvent(new StorageEvent("storage"));
      expect(heldSeat.current).toBeNull();
    });

    test("a seat that the server does not know is forgotten, but not because the network fails", async () => {
      heldSeat.hold(SEAT);
      vi.stubGlobal("fetch", () => Promise.reject(new TypeError("offline")));
      await heldSeat.check();
      expect(heldSeat.current).toEqual(SEAT);
      vi.stubGlobal("fetch", () => Promise.resolve(Response.json({ seated: true })));
      await heldSeat.check();
      expect(heldSeat.current).toEqual(SEAT);
      vi.stubGlobal("fetch", () => Promise.resolve(Response.json({ seated: false })));
      await heldSeat.check();
      expect(heldSeat.current).toBeNull();
    });
  });
});

describe("texts", () => {
  const ACES = { ...RULES, labels: { ...RULES.labels, special_face: "aces" } };
  const PACOS = { ...RULES, labels: { ...RULES.labels, special_face: "pacos", challenge: "Dudo!" } };

  test("a bid is written in words", async () => {
    expect([formatBid(RULES, [6, 4]), formatBid(RULES, [1, 6]), formatBid(RULES, [21, 2])]).toEqual([
      "six fours",
      "one six",
      "21 twos",
    ]);
    await setLanguage("es");
    expect([formatBid(RULES, [6, 4]), formatBid(RULES, [1, 6])]).toEqual(["seis cuatros", "un seis"]);
  });

  test("the special face has the name that the rules give it", async () => {
    expect([formatBid(ACES, [3, 1]), formatBid(ACES, [1, 1]), formatBid(PACOS, [1, 1])]).toEqual([
      "three aces",
      "one ace",
      "one paco",
    ]);
    await setLanguage("es");
    expect([formatBid(ACES, [3, 1]), formatBid(ACES, [1, 1])]).toEqual(["tres ases", "un as"]);
  });

  test("common call words are translated, others are not", async () => {
    await setLanguage("es");
    const own = { ...RULES, labels: { ...RULES.labels, challenge: "Humbug!" } };
    expect([RULES, PACOS, own].map((rules) => callLabel(rules, "challenge"))).toEqual([
      "¡Mentira!",
      "¡Dudo!",
      "Humbug!",
    ]);
  });

  test("the games of the presets have Spanish names, and a table's own game keeps its name", async () => {
    expect(translateLabel("Basic Liar's Dice")).toBe("Basic Liar's Dice");
    await setLanguage("es");
    expect(["Basic Liar's Dice", "Pirate's Dice", "Perudo", "Fox dice"].map(translateLabel)).toEqual([
      "Dados mentirosos básicos",
      "Dados piratas",
      "Perudo",
      "Fox dice",
    ]);
  });

  test("words are joined to a list", () => {
    expect([joinList([]), joinList(["Ann"]), joinList(["Ann", "Bo"]), joinList(["Ann", "Bo", "Cy"])]).toEqual([
      "",
      "Ann",
      "Ann and Bo",
      "Ann, Bo and Cy",
    ]);
  });

  test("a chance is a percentage in the format of the language", async () => {
    expect(formatPercent(62)).toBe("62%");
    expect([0, 1, 99, 100].map(formatPercent)).toEqual(["0%", "≤1%", "99%", "100%"]);
    const said = ["0%", "under 1%", "50%", "over 99%", "100%"];
    expect([0, 0.004, 0.5, 0.996, 1].map((p) => formatProbability(p))).toEqual(said);
    expect([0.0004, 0.9994, 0.9996].map((p) => formatProbability(p, 1))).toEqual([
      "under 0.1%",
      "over 99.9%",
      "over 99.9%",
    ]);
    expect([0, 0.004, 0.5, 0.996, 1].map(hundredths)).toEqual(["0", "<1", "50", ">99", "100"]);
    await setLanguage("es");
    expect(formatPercent(62)).toMatch(/^62\s%$/);
  });

  test("a name has at most 24 characters, of which a family is one", () => {
    const family = "👨‍👩‍👧‍👦";
    expect(rememberName(family.repeat(30))).toBe(family.repeat(24));
    expect(rememberName("a".repeat(30))).toBe("a".repeat(24));
  });

  describe("i18n", () => {
    test("a text gets its values and its plural form", () => {
      expect(t("landing.play.against", { count: 1 })).toBe("against one bot");
      expect(t("landing.play.against", { count: 3 })).toBe("against 3 bots");
    });

    test("numbers have the format of the language", async () => {
      expect(t("landing.play.against", { count: 12345 })).toBe("against 12,345 bots");
      await setLanguage("es");
      expect(t("landing.play.against", { count: 12345 })).toBe("contra 12.345 bots");
    });

    test("a placeholder without a value stays visible", () => {
      expect(t("die")).toBe("a die showing {face}");
    });

    test("a name from right to left is isolated in a sentence", () => {
      expect(t("word.by_bot", { name: "محمد علي" })).toBe("\u2068محمد علي\u2069 (bot)");
      expect(t("word.by_bot", { name: "Ann" })).toBe("Ann (bot)");
    });

    test("whatever is cut at its end follows the direction of its own text", () => {
      const sources = import.meta.glob<string>("../**/*.svelte", { eager: true, import: "default", query: "?raw" });
      const cut = Object.entries(sources).filter(([, text]) => /text-overflow: ellipsis|"[a-z ]*one-line"/.test(text));
      const fixed = ["ActionPanel", "/Board.svelte", "CallGuess", "/Landing.svelte"]; // what they cut are words of the page
      expect(cut.length).toBeGreaterThan(10);
      for (const [path, text] of cut)
        if (!fixed.some((name) => path.includes(name))) expect(text, path).toContain('dir="auto"');
    });

    test("the document has the lang attribute", async () => {
      await setLanguage("es");
      expect(document.documentElement.lang).toBe("es");
    });

    test("the first supported language of the browser is preferred", () => {
      vi.spyOn(navigator, "languages", "get").mockReturnValue(["de-CH", "es-CL", "en"]);
      expect(preferredLanguage()).toBe("es");
    });

    test("without a supported language it is English", () => {
      vi.spyOn(navigator, "languages", "get").mockReturnValue(["de-CH", "constructor"]);
      expect(preferredLanguage()).toBe("en");
    });

    test("a saved language comes first", async () => {
      await chooseLanguage("es");
      expect(preferredLanguage()).toBe("es");
    });

    test.each([
      ["Annabelle Lee", 8, "Annabel…"],
      ["Ann", 8, "Ann"],
      ["👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦", 3, "👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦"],
      ["👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦", 2, "👨‍👩‍👧‍👦…"],
      ["🇪🇸🇲🇽🇵🇪", 2, "🇪🇸…"],
      ["e\u0301e\u0301e\u0301", 2, "e\u0301…"],
    ])("%s is cut between characters", (text, most, expected) => expect(shorten(text, most, "…")).toBe(expected));
  });

  /** The golden sentences: every event and call, in every language, the same as in the package. */
  /** An event or a call. The page never gets `hand_dealt` and `roll_seen`; it shows a player's own dice as pictures. */
  type Case = {
    id: string;
    rules: string;
    names: string[];
    viewer: number | null;
    texts: Record<Language, string>;
  } & ({ event: GameEvent | RecordedEvent | Unseen } | { verdict: Verdict });

  const golden = JSON.parse(text) as { rulesets: Record<string, Ruleset>; cases: Case[] };
  interface Unseen {
    type: "hand_dealt" | "roll_seen";
  }

  function isUnseen(event: { type: string }): event is Unseen {
    return event.type === "hand_dealt" || event.type === "roll_seen";
  }

  const cases = golden.cases.filter((golden) => !("event" in golden && isUnseen(golden.event)));

  function sentence(golden: Case, rules: Ruleset | undefined): string {
    const narrator = { rules, names: golden.names, viewerSeat: golden.viewer };
    if ("verdict" in golden) return outcome(golden.verdict, narrator);
    const { event } = golden;
    return isUnseen(event) ? "" : narrateEvent(event, narrator);
  }

  test.each(Object.keys(LANGUAGES) as Language[])("the sentences in %s are the golden ones", async (language) => {
    await setLanguage(language);
    expect(cases.length).toBeGreaterThan(100);
    expect(cases.map((golden) => [golden.id, sentence(golden, rulesOf(golden))])).toEqual(
      cases.map(({ id, texts }) => [id, texts[language]]),
    );
  });

  function rulesOf({ rules }: Case): Ruleset | undefined {
    return golden.rulesets[rules];
  }
});

test("the first dice of a hand count twice, and are lost last or first", () => {
  const rules = (dice: object) => ({ dice: { per_player: 5, ...dice } }) as unknown as Ruleset;
  expect([0, 1, 5].map((held) => doubleDice(rules({ double: 2 }), held))).toEqual([0, 1, 2]);
  expect([3, 4, 5].map((held) => doubleDice(rules({ double: 2, double_lost: "first" }), held))).toEqual([0, 1, 2]);
  expect(doubleDice(rules({}), 5)).toBe(0);
});
