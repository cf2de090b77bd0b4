import { setTimeout as sleep } from "node:timers/promises";
import type { Octokit } from "@octokit/rest";
import { CodeHostError, toCodeHostError } from "./code-host-error.ts";

const pauseMs = 300;

/** Makes a reading that got no answer, or a damaged one, once more: it changes nothing, and most such failures are of one request. */
export function readAgain(client: Octokit): void {
  client.hook.wrap("request", async (request, options) => {
    try {
      return await request(options);
    } catch (error) {
      if (!isReading(options) || !isUnavailable(error)) throw error;
      await sleep(pauseMs);
      return request(options);
    }
  });
}

function isReading({ method, query }: { method: string; query?: unknown }): boolean {
  return method === "GET" || (typeof query === "string" && !/^\s*mutation\b/.test(query));
}

function isUnavailable(error: unknown): boolean {
  const failure = toCodeHostError(error);
  return failure instanceof CodeHostError && failure.kind === "unavailable";
}
