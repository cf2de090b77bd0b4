import type { ClientOptions } from "../client/client.ts";
import type { StepContext } from "./step.ts";

/** Client options that abort every call when the budget is used up, retries included. */
export function withinBudget(
  { service, fetch, clock, signal, runner }: StepContext,
  { budgetMs, attempts }: { readonly budgetMs: number; readonly attempts: number },
): ClientOptions & Required<Pick<ClientOptions, "fetch" | "retry">> {
  const budget = AbortSignal.any([signal, AbortSignal.timeout(budgetMs)]);
  return {
    ...service,
    timeoutMs: budgetMs,
    fetch: (url, init) => {
      const given = init?.signal;
      return fetch(url, { ...init, signal: given ? AbortSignal.any([given, budget]) : budget });
    },
    retry: {
      attempts,
      maxDelayMs: budgetMs,
      sleep: async (ms) => {
        runner.log(`No usable answer; trying again in ${(ms / 1000).toFixed(1)} s.`);
        await clock.sleep(ms, budget);
      },
    },
  };
}
