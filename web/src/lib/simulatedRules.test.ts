import { expect, test } from "vitest";
import { RULES } from "../testing/tableFrames";
import { areSimulated } from "../setup/rulesLab.svelte";

const SPECIAL = {
  trigger: "loses_down_to_one",
  repeat: "every_time",
  face_locked: true,
  lock_exempt: "none",
  min_players: 2,
} as const;

test("rules that only the engine plays are not simulated", () => {
  expect(areSimulated(RULES)).toBe(true);
  expect(areSimulated(undefined)).toBe(true);
  expect(areSimulated({ ...RULES, loss: { ...RULES.loss, lives: 3 } })).toBe(false);
  expect(areSimulated({ ...RULES, loss: { ...RULES.loss, out_below: 3 } })).toBe(false);
  expect(areSimulated({ ...RULES, count: { ...RULES.count, scope: "bidder" } })).toBe(false);
  expect(areSimulated({ ...RULES, dice: { ...RULES.dice, faces_by_seat: [4] } })).toBe(false);
  expect(areSimulated({ ...RULES, count: { ...RULES.count, hand_bonus: "alike" } })).toBe(false);
  expect(areSimulated({ ...RULES, count: { ...RULES.count, all_different: "worthless" } })).toBe(false);
  expect(areSimulated({ ...RULES, bidding: { ...RULES.bidding, to_pure: "same_quantity" } })).toBe(false);
  expect(areSimulated({ ...RULES, special_round: SPECIAL })).toBe(true);
  expect(areSimulated({ ...RULES, special_round: { ...SPECIAL, trigger: "starts_with_one" } })).toBe(false);
  expect(areSimulated({ ...RULES, bidding: { ...RULES.bidding, min_open_special: 2 } })).toBe(false);
  expect(areSimulated({ ...RULES, loss: { ...RULES.loss, opening_factor: 2 } })).toBe(false);
  expect(areSimulated({ ...RULES, wilds: { ...RULES.wilds, suspended_by: ["opening_challenge"] } })).toBe(false);
  expect(areSimulated({ ...RULES, bidding: { ...RULES.bidding, show_dice: "counting" } })).toBe(false);
  expect(areSimulated({ ...RULES, challenge: { ...RULES.challenge, double: "next_player" } })).toBe(false);
  expect(areSimulated({ ...RULES, bidding: { ...RULES.bidding, pass_with: ["alike"] } })).toBe(false);
  expect(areSimulated({ ...RULES, bidding: { ...RULES.bidding, face_off: "sum" } })).toBe(false);
  expect(areSimulated({ ...RULES, end: "first_player_out" })).toBe(false);
});
