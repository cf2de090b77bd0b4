import type { ClientOptions } from "../client/client.ts";
import type { CommonInputs } from "./inputs.ts";
import { type StepContext, StepError } from "./step.ts";

interface Budget {
  readonly budgetMs: number;
  readonly attempts: number;
}

/** Client options for a command that only reads: with the API token, or else with the job's own. @throws StepError if there is neither */
export async function accessTo(
  { apiToken }: Pick<CommonInputs, "apiToken">,
  context: StepContext,
  budget: Budget,
): Promise<ClientOptions> {
  const service = withinBudget(context, budget);
  if (apiToken !== null) return service;
  if (context.issueToken !== null) return { ...service, workflowToken: await context.issueToken(service) };
  throw new StepError(
    "No token",
    "The input api-token is empty, as in workflows of forks. Set it from a secret with an API token of the scope `read`, or give the job `id-token: write`.",
  );
}

/** Client options that abort every call when the budget is used up, retries included. */
export function withinBudget(
  { service, fetch, clock, signal, runner }: StepContext,
  { budgetMs, attempts }: Budget,
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
