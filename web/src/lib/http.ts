/** Questions to the server over HTTP, and what to tell a player where they are refused. */
import { t } from "./i18n.svelte";
import type { ErrorCode, ProblemSeen } from "./protocol";

/** `text` is the server's own, "" where there was no answer from it. */
export class ApiError extends Error {
  constructor(
    readonly code: ErrorCode | "offline",
    readonly text: string,
  ) {
    super(text || code);
    this.name = "Refused";
  }
}

/** Ask for what an address has. Raises `ApiError`. */
export async function getJson<T>(address: string, signal?: AbortSignal): Promise<T> {
  return (await reach(address, signal ? { signal } : {})).json() as Promise<T>;
}

/** Hand in a form. Raises `ApiError`. */
export async function postJson<T>(address: string, form: object, signal?: AbortSignal): Promise<T> {
  const init: RequestInit = {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(form),
    ...(signal ? { signal } : {}),
  };
  return (await reach(address, init)).json() as Promise<T>;
}

/** The text at an address. Raises `ApiError`. */
export async function getText(address: string): Promise<string> {
  return (await reach(address, {})).text();
}

async function reach(address: string, init: RequestInit): Promise<Response> {
  let answer: Response;
  try {
    answer = await fetch(address, init);
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ApiError("offline", "");
  }
  if (answer.ok) return answer;
  throw await refusal(answer);
}

async function refusal(answer: Response): Promise<ApiError> {
  try {
    const problem = (await answer.json()) as ProblemSeen;
    return new ApiError(problem.code, problem.text);
  } catch {
    return new ApiError(answer.status === 429 ? "too_fast" : "try_again", "");
  }
}

/** What to tell a player about something that went wrong: what it was, and what to do. */
export function errorText(error: unknown): string {
  if (!(error instanceof ApiError)) return t("error.try_again");
  switch (error.code) {
    case "malformed":
    case "illegal":
    case "unavailable":
      return error.text === "" ? t("error.try_again") : t("error.refused", { text: error.text });
    case "stale":
    case "try_again":
      return t("error.try_again");
    case "forbidden":
      return t("error.forbidden");
    case "no_such_table":
      return t("error.no_such_table");
    case "no_spectators":
      return t("error.no_spectators");
    case "too_fast":
      return t("error.too_fast");
    case "offline":
      return t("error.offline");
  }
}
