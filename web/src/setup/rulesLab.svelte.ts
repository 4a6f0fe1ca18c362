/** The rules lab of the new-table page: figures of the chosen rules, and a simulation of changed ones. */
import { ApiError, errorText, getJson, sendRequest } from "../lib/http";
import { t } from "../lib/i18n.svelte";
import type { LabFigures, LabForm, LabLine, LabOffer, LabProgress } from "../lib/protocol";
import { readLines } from "../review/reviewService";

/** What is known of the chosen rules. `choose` says which they are. */
export class RulesLab {
  /** Whether the server simulates, null until it has said so. */
  offered = $state<boolean | null>(null);
  /** What is known of the preset without a simulation. */
  known = $state.raw<LabFigures | null>(null);
  /** The latest line of the simulation of the chosen rules. */
  progress = $state.raw<LabProgress | null>(null);
  running = $state(false);
  error = $state("");

  #form: LabForm | null = null;
  #request: AbortController | undefined;

  /** What is to be shown: the simulation, or what is known without it. */
  get figures(): LabFigures | null {
    return this.progress?.figures ?? this.known;
  }

  /** Takes other rules, ends the simulation of the last ones, and asks what is known of them. */
  async choose(form: LabForm): Promise<void> {
    const previous = this.#form;
    if (JSON.stringify(form) === JSON.stringify(previous)) return;
    this.stop();
    this.#form = form;
    [this.progress, this.error] = [null, ""];
    if (previous?.rules === form.rules && previous.seats === form.seats) return;
    this.known = null;
    const isCurrent = (): boolean => this.#form?.rules === form.rules && this.#form.seats === form.seats;
    try {
      const query = `rules=${encodeURIComponent(form.rules)}&seats=${String(form.seats)}`;
      const offer = await getJson<LabOffer>(`/api/rules-lab?${query}`);
      if (isCurrent()) [this.offered, this.known] = [offer.offered, offer.figures];
    } catch (error) {
      if (isCurrent()) [this.error, this.#form] = [errorText(error), null];
    }
  }

  /** Simulates the chosen rules. */
  async simulate(): Promise<void> {
    if (this.running || this.#form === null) return;
    const { signal } = (this.#request = new AbortController());
    [this.progress, this.error, this.running] = [null, "", true];
    try {
      const headers = { "content-type": "application/json" };
      const init = { method: "POST", headers, body: JSON.stringify(this.#form), signal };
      for await (const line of readLines<LabLine>(await sendRequest("/api/rules-lab", init))) {
        if (line.type === "failed") throw new ApiError(line.code, line.text);
        this.progress = line;
      }
    } catch (error) {
      if (!signal.aborted) this.error = isRefusal(error) ? t("lab.refused") : errorText(error);
    }
    if (!signal.aborted) this.running = false;
  }

  /** Ends the simulation. */
  stop(): void {
    this.#request?.abort();
    this.running = false;
  }
}

/** Whether the server simulates no such rules. */
function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && (error.code === "malformed" || error.code === "unavailable");
}
