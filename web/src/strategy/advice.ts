/** The six pieces of advice of rule sheet 001 and what was measured, as `advice.json` has them. */
export interface Evidence {
  name: string;
  kind: "arena" | "solver" | "observed";
  /** A share of 0 to 1 with its 95% interval, or with the bounds of the solver. */
  share: number;
  low: number;
  high: number;
  /** The share without any effect, null if there is none. */
  fair: number | null;
  /** How many matches or cases were counted, 0 for the solver. */
  count: number;
  command: string;
}

export interface Piece {
  advice:
    "high_bids" | "ceiling_challenges" | "face_raises" | "more_dice" | "face_raiser_challenges" | "fewer_challenges";
  verdict: "true" | "false" | "half" | "open";
  evidence: Evidence[];
}
