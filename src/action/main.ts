import { tmpdir } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { getInput } from "@actions/core";
import { context } from "@actions/github";
import { createActionsRunner } from "./actions-runner.ts";
import { childEnvironment } from "./child-process.ts";
import { readTokenRequest } from "./github/workflow-token.ts";
import { useProxies } from "./proxies.ts";
import { runAction } from "./run-action.ts";
import { readWorkflow } from "./workflow.ts";

const { env } = process;
const signals = ["SIGINT", "SIGTERM"] as const;

process.exitCode =
  (await useProxies(env, process.argv.slice(1))) ??
  (await runAction({
    input: getInput,
    runner: createActionsRunner(env.GITHUB_STEP_SUMMARY, getInput("verbose").toLowerCase() === "true"),
    workflow: readWorkflow(context, env, tmpdir()),
    fetch: globalThis.fetch,
    clock: {
      now: Date.now,
      sleep: (ms, signal) => sleep(ms, undefined, { signal }).catch(() => {}),
    },
    signal: untilCancelled(),
    tokenRequest: readTokenRequest(env),
    env: childEnvironment(env),
  }));

/** Aborted when the runner cancels the workflow. A second signal ends the process at once. */
function untilCancelled(): AbortSignal {
  const controller = new AbortController();
  const cancel = () => {
    for (const name of signals) process.removeListener(name, cancel);
    controller.abort();
  };
  for (const name of signals) process.on(name, cancel);
  return controller.signal;
}
