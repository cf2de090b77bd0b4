import { setTimeout as sleep } from "node:timers/promises";
import type { Octokit } from "@octokit/rest";
import { CodeHostError, toCodeHostError } from "./code-host-error.ts";

const pauseMs = 300;

/**
 * Repeats a read once if it got no response, or a damaged one: a read changes nothing, and most such failures affect one request
 * only.
 */
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
