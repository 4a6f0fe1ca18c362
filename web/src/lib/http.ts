/** Requests to the HTTP API, and the text that a player reads when one fails. */
import { i18n, t } from "./i18n.svelte";
import type { ErrorCode, ErrorResponse } from "./protocol";

/** A failed request. `text` is the server's explanation in English, "" if the server did not answer. */
export class ApiError extends Error {
  constructor(
    readonly code: ErrorCode | "offline",
    readonly text: string,
  ) {
    super(text || code);
    this.name = "Refused";
  }
}

/** Fetches JSON. Throws `ApiError`. */
export async function getJson<T>(url: string, signal?: AbortSignal): Promise<T> {
  return (await sendRequest(url, signal ? { signal } : {})).json() as Promise<T>;
}

/** Posts a form as JSON and returns the JSON answer. Throws `ApiError`. */
export async function postJson<T>(url: string, form: object, signal?: AbortSignal): Promise<T> {
  const init: RequestInit = {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(form),
    ...(signal ? { signal } : {}),
  };
  return (await sendRequest(url, init)).json() as Promise<T>;
}

/** Fetches text. Throws `ApiError`. */
export async function getText(url: string): Promise<string> {
  return (await sendRequest(url, {})).text();
}

/** Sends a request and returns the response to it. Throws `ApiError`. */
export async function sendRequest(url: string, init: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url, init);
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ApiError("offline", "");
  }
  if (response.ok) return response;
  throw await readError(response);
}

async function readError(response: Response): Promise<ApiError> {
  try {
    const problem = (await response.json()) as ErrorResponse;
    return new ApiError(problem.code, problem.text);
  } catch {
    return new ApiError(response.status === 429 ? "too_fast" : "try_again", "");
  }
}

/** The message for a player about an error: what went wrong and what to do. */
export function errorText(error: unknown): string {
  if (!(error instanceof ApiError)) return t("error.try_again");
  const { code, text } = error;
  if (code === "stale") return t("error.try_again");
  // The server explains in English only.
  const isExplained = code === "malformed" || code === "illegal" || code === "unavailable";
  return isExplained && i18n.language === "en" && text !== "" ? t("error.refused", { text }) : t(`error.${code}`);
}
