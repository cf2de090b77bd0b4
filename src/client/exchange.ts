import { bodyInit, type EncodedBody, lengthHeader } from "./encoded-body.ts";
import { ApiError, NetworkError } from "./errors.ts";
import type { Fetch } from "./fetch.ts";
import type { Problem } from "./generated/api.ts";

export interface Request {
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | EncodedBody;
  readonly timeoutMs: number;
}

/**
 * Sends once and reads the answer as JSON.
 *
 * @throws ApiError for every answer except success, including redirects: following one would send the token elsewhere.
 * @throws NetworkError when there is no complete answer in time.
 */
export async function exchange(fetch: Fetch, request: Request): Promise<unknown> {
  const { response, text } = await send(fetch, request);
  const answer = parseJson(text);
  if (response.ok && answer !== undefined) return answer;
  throw failure(request.url, response, answer);
}

/** Like `exchange`, for an answer in plain text. */
export async function exchangeText(fetch: Fetch, request: Request): Promise<string> {
  const { response, text } = await send(fetch, request);
  if (response.ok && response.headers.get("content-type")?.startsWith("text/plain")) return text;
  throw failure(request.url, response, parseJson(text));
}

function send(fetch: Fetch, { method, url, headers, body, timeoutMs }: Request) {
  return answerOf(url, timeoutMs, async (signal) => {
    const response = await fetch(url, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : lengthHeader(body)) },
      ...(body === undefined ? {} : bodyInit(body)),
      signal,
      redirect: "manual",
    });
    return { response, text: await response.text() };
  });
}

function failure(url: string, response: Response, answer: unknown): ApiError {
  return new ApiError({
    ...failureOf(url, response, answer),
    status: response.status,
    retryAfterMs: retryAfterMs(response.headers),
  });
}

async function answerOf<T>(
  url: string,
  timeoutMs: number,
  ask: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    return await ask(signal);
  } catch (error) {
    const { origin } = new URL(url);
    if (signal.aborted) {
      throw new NetworkError("timeout", `${origin} did not answer within ${timeoutMs / 1000} s.`, error);
    }
    throw new NetworkError("network", `${origin} did not answer: ${reasonOf(error)}.`, error);
  }
}

function failureOf(
  url: string,
  response: Response,
  answer: unknown,
): Pick<ApiError, "code" | "detail" | "errors" | "requestId"> {
  if (isProblem(answer)) {
    const { code, detail, errors = [], instance } = answer;
    return { code, detail, errors, requestId: instance };
  }
  const location = response.headers.get("location");
  const what = location
    ? `redirects to ${location}`
    : `answered ${response.status}, but not as Trainyard does`;
  return { code: null, detail: `${url} ${what}. Is the address right?`, errors: [], requestId: null };
}

function isProblem(answer: unknown): answer is Problem {
  return typeof answer === "object" && answer !== null && "code" in answer && "detail" in answer;
}

/** Returns undefined when it is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Reads `Retry-After`, in seconds or as a date, which is compared with the date of the answer. */
function retryAfterMs(headers: Headers): number | null {
  const value = headers.get("retry-after");
  if (value === null) return null;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const wait = Date.parse(value) - Date.parse(headers.get("date") ?? "");
  return Number.isNaN(wait) ? null : Math.max(0, wait);
}

/** The error of `fetch` has no details; its cause has them. If several addresses were tried, the cause has only a code. */
function reasonOf(error: unknown): string {
  if (!Error.isError(error)) return String(error);
  if (error.cause !== undefined) return reasonOf(error.cause);
  return error.message || ("code" in error ? String(error.code) : error.name);
}
