/** Challenging the standing bid: how likely it is, and a second tap where a challenge is almost certainly a mistake. */
import type { PlayerView } from "../lib/protocol";
import type { BidPair } from "../lib/ruleset";
import type { BoardState } from "../board/boardState.svelte";
import type { UiState } from "../table/uiState.svelte";
import { formatPercent } from "../lib/formatting";
import { t } from "../lib/i18n.svelte";

/** From this probability of the standing bid on, in percent, a challenge is confirmed. */
const NEARLY_CERTAIN = 95;

/** What speaks against a challenge: the own dice prove the bid, or it is nearly certain. */
type Doubt = "proven" | "likely";

/**
 * What speaks against challenging a bid, null if nothing does. Only tables that show odds and players in their first
 * match are asked; `counts` and `standing_odds` come from the server.
 */
export function doubtAbout(
  own: Pick<PlayerView, "counts" | "standing_odds">,
  bid: BidPair | undefined,
  helped: boolean,
): Doubt | null {
  if (!helped || !bid) return null;
  if (own.counts.length >= bid[0]) return "proven";
  return (own.standing_odds ?? 0) >= NEARLY_CERTAIN ? "likely" : null;
}

/** The challenge of the viewer. It is reset whenever the situation changes. */
export class Challenge {
  /** What speaks against a challenge. */
  readonly #doubt: Doubt | null = $derived.by(() => {
    const { own, setting } = this.board.table;
    const helped = setting?.config.hints === true || this.ui.firstMatch;
    return doubtAbout(own, this.board.standingBid?.bid, helped);
  });
  /** Why the viewer is asked to tap again, null unless the first tap was made. */
  asking: Doubt | null = $derived.by(() => (this.#tappedIn === this.#situation ? this.#doubt : null));
  #tappedIn = $state("");

  constructor(
    readonly board: BoardState,
    readonly ui: UiState,
  ) {}

  get #situation(): string {
    const { match } = this.board.table;
    return `${match?.number ?? 0}/${match?.turn_id ?? 0}`;
  }

  /** Challenges, with `double` for twice the stake, or asks for a second tap. */
  call(double = false): void {
    const { table } = this.board;
    if (!(double ? table.own.may_double : table.own.may_challenge) || table.busy) return;
    if (this.#doubt !== null && this.asking === null) this.#tappedIn = this.#situation;
    else table.request(double ? { type: "challenge", double } : { type: "challenge" });
  }
}

/** The chance of a bid by the own dice, 0 to 100: what is certain or impossible is called so. Needs the words `actions`. */
export function likelihood(chance: number): string {
  if (chance === 100) return t("table.likely.certain");
  return t(chance === 0 ? "table.likely.impossible" : "table.likely", { percent: formatPercent(chance) });
}
