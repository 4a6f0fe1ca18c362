/** Challenging the standing bid, with a second tap where the first is almost certainly a mistake. */
import type { BoardState } from "../board/boardState.svelte";
import type { UiState } from "../table/uiState.svelte";
import { doubtAbout, type Doubt } from "./challengeGuard";

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
    if (!(double ? table.own.double : table.own.challenge) || table.busy) return;
    if (this.#doubt !== null && this.asking === null) this.#tappedIn = this.#situation;
    else table.request(double ? { type: "challenge", double } : { type: "challenge" });
  }
}
