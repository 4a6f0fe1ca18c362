/** A group as the server shows it to this browser: asked for again while the page is visible, and changed by commands. */
import { on } from "svelte/events";
import { ApiError, errorText, getJson, postJson } from "../lib/http";
import { ownFace, rememberName } from "../lib/player.svelte";
import type { GroupCommand, GroupPage, KnockForm, Night, SeatResponse, TableSummary } from "../lib/protocol";
import { keepCommitment, newCommitment } from "../lib/seeds";
import { forget, keep } from "../lib/storage";
import { i18n, t } from "../lib/i18n.svelte";
import { sameValue } from "../rules/rulesUrl";
import { groupApi, KNOWN, tellMeetings } from "./groups";

const REFRESH_MS = 10_000;
/** What the quiet row of a group opens. */
export type RestView = "bring" | "device" | "evening" | "you" | "founder";

/** The message for a user about an error: some codes mean something else at a group than at a table. */
function refusalText(error: unknown): string {
  if (!(error instanceof ApiError)) return errorText(error);
  const { code, text } = error;
  if (code !== "forbidden" && code !== "name_taken" && code !== "unavailable") return errorText(error);
  return i18n.language === "en" && text !== "" ? t("error.refused", { text }) : t(`group.error.${code}`);
}

/** A group whose page is shown. */
export class GroupState {
  /** What the server showed last, null before it has answered. */
  page = $state.raw<GroupPage | null>(null);
  /** Why the server could not be asked, "" if it could. */
  offline = $state("");
  /** Whether there is no such group, or not any more. */
  missing = $state(false);
  /** Why the last thing that the user wanted was not done. */
  error = $state("");
  busy = $state(false);
  /** The time of the last answer, in milliseconds since 1970. */
  now = $state(Date.now());
  #requests = 0;

  constructor(readonly code: string) {}

  /** Asks for the group now and then. Returns a function that ends this. */
  start(): () => void {
    const ticket = /^#device=(.+)$/.exec(location.hash)?.[1];
    if (ticket === undefined) void this.refresh();
    else void this.#redeem(decodeURIComponent(ticket));
    const ask = (): void => {
      if (document.visibilityState === "visible" && !this.busy) void this.refresh();
    };
    const timer = setInterval(ask, REFRESH_MS);
    const ends = [on(document, "visibilitychange", ask), on(window, "online", ask)];
    return () => {
      clearInterval(timer);
      for (const end of ends) end();
      this.#requests += 1;
    };
  }

  /** Asks for the group. An answer is ignored if a later one may have come before it. */
  async refresh(): Promise<void> {
    const request = ++this.#requests;
    try {
      const page = await getJson<GroupPage>(groupApi(this.code));
      if (request === this.#requests) this.#show(page);
    } catch (error) {
      if (request !== this.#requests) return;
      if (error instanceof ApiError && error.code === "unavailable") this.#lose();
      else this.offline = errorText(error);
    }
  }

  /** Gives a command as a member. Returns whether it was done. */
  async do(command: GroupCommand): Promise<boolean> {
    return this.#post("do", { command });
  }

  /** The nights of the season before a date, a dozen at most. Says why if it cannot. */
  async nightsBefore(date: string): Promise<Night[]> {
    this.error = "";
    try {
      return await getJson<Night[]>(`${groupApi(this.code)}/nights?before=${date}`);
    } catch (error) {
      this.error = refusalText(error);
      return [];
    }
  }

  /** Asks to be let in, or to get one's place back on this device. */
  async knock(typed: string, lost: boolean): Promise<boolean> {
    const name = lost ? typed.trim() : rememberName(typed);
    const form: KnockForm = { name, lost, face: ownFace.current };
    return this.#post("knock", form);
  }

  /** Asks no longer. */
  async withdraw(): Promise<boolean> {
    return this.#post("withdraw", {});
  }

  /** Does something that leads to another page, and returns its path; "" if that failed. */
  async leadTo(open: () => Promise<string>): Promise<string> {
    if (this.busy) return "";
    this.busy = true;
    this.error = "";
    try {
      return await open();
    } catch (error) {
      this.error = refusalText(error);
      return "";
    } finally {
      this.busy = false;
    }
  }

  /** Takes a seat at an open table as this member. Returns the path of the table. Throws `ApiError`. */
  async takeSeat({ code, invite, matches }: TableSummary, name: string): Promise<string> {
    const commitment = newCommitment();
    const form = { name, id: crypto.randomUUID(), commitment };
    const { player } = await postJson<SeatResponse>(`/api/tables/${encodeURIComponent(code)}/seats`, form);
    if (player !== null) keepCommitment(code, matches + 1, commitment);
    return invite;
  }

  async #redeem(ticket: string): Promise<void> {
    history.replaceState(null, "", location.pathname + location.search);
    if (!(await this.#post("redeem", { ticket }))) await this.refresh();
  }

  async #post(what: string, form: object): Promise<boolean> {
    if (this.busy) return false;
    this.busy = true;
    this.error = "";
    this.#requests += 1; // an answer that is still on its way knows nothing of this
    const request = this.#requests;
    try {
      const page = await postJson<GroupPage>(`${groupApi(this.code)}/${what}`, form);
      if (request === this.#requests) this.#show(page);
      return true;
    } catch (error) {
      this.error = refusalText(error);
      return false;
    } finally {
      this.busy = false;
    }
  }

  #show(page: GroupPage): void {
    const { inside, door } = page;
    this.offline = "";
    this.now = Date.now();
    if (inside === null && door === null) {
      this.#lose();
      return;
    }
    this.missing = false;
    if (inside) keep(KNOWN, inside.code, inside.name);
    else if (door?.waiting) keep(KNOWN, door.code, door.name);
    else this.#forget();
    if (!sameValue(page, this.page)) this.page = page;
  }

  #lose(): void {
    this.page = null;
    this.missing = true;
    this.#forget();
  }

  #forget(): void {
    forget(KNOWN, this.code);
    void tellMeetings(this.code, false);
  }
}
