/** Deleting matches of this browser, with a way back as long as the page is open. */
import type { RecordedMatch } from "./historyFile";
import { deleteMatches, keepMatches } from "./matchStore";

/** The matches that were deleted last. */
export class MatchDeletion {
  /** Empty if there is nothing to undo. */
  deleted: readonly RecordedMatch[] = $state.raw([]);
  /** Whether the last deletion was undone. */
  undone = $state(false);

  /** `changed` is called after each deletion and each undo. */
  constructor(readonly changed: () => Promise<void>) {}

  /** Deletes matches by their ids. Throws where the browser has no database. */
  async delete(ids: readonly string[]): Promise<void> {
    this.deleted = await deleteMatches(ids);
    this.undone = false;
    await this.changed();
  }

  /** Brings back the matches that were deleted last. Throws where the browser has no database. */
  async undo(): Promise<void> {
    await keepMatches(this.deleted);
    this.deleted = [];
    this.undone = true;
    await this.changed();
  }
}
