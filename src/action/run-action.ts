import type { Fetch } from "../client/fetch.ts";
import type { RetryOptions } from "../client/retry.ts";
import { createCheckedClient } from "./checked-client.ts";
import { context, contextFailed } from "./commands/context.ts";
import { impactedTargets } from "./commands/impacted-targets.ts";
import { proved, unprovedBy } from "./commands/proved.ts";
import { cancel, restart, submit } from "./commands/queue.ts";
import { status } from "./commands/status.ts";
import { uploadTests } from "./commands/upload-tests.ts";
import { explainError } from "./explain-error.ts";
import { GitHubApi } from "./github/github-api.ts";
import { requestWorkflowToken, type TokenRequest } from "./github/workflow-token.ts";
import { type InputIssue, type Inputs, type PullRequestInputs, parseInputs } from "./inputs.ts";
import {
  type Clock,
  type Outcome,
  type Runner,
  type Step,
  type StepContext,
  StepError,
  type TokenIssuer,
} from "./step.ts";
import { loadPullRequest, resolveSubject, type Subject } from "./subject.ts";
import { renderSummary } from "./summary.ts";
import type { Workflow } from "./workflow.ts";

/** Everything that the entry point passes in. */
interface World {
  readonly input: (name: string) => string;
  readonly runner: Runner;
  readonly workflow: Workflow;
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Requests a token for this job; null if the job may not have one. */
  readonly tokenRequest: TokenRequest | null;
  /** The environment, without secrets, of programs that the step starts. */
  readonly env: Step["env"];
}

const attempts = 5;

/** Runs the step and returns its exit code. Every error is explained in the log and in the summary; none is thrown. */
export async function runAction(world: World): Promise<number> {
  const { runner, workflow } = world;
  // Secrets are masked before anything is written or parsed.
  for (const name of ["api-token", "github-token"]) if (world.input(name)) runner.mask(world.input(name));
  if (world.tokenRequest) runner.mask(world.tokenRequest.bearer);
  const command = world.input("command");
  let subject: Subject | null = null;
  try {
    const inputs = parseInputs(world.input);
    if ("issues" in inputs) throw faultyInputs(inputs.issues);
    warnOfPlainHttp(inputs, world);
    const surroundings = surroundingsOf(inputs, world);
    if (inputs.command === "upload-tests")
      return await report(await uploadTests(inputs, surroundings), command, null, runner);
    if (inputs.command === "proved")
      return await report(await proved(inputs, surroundings), command, null, runner);
    if (inputs.command === "context")
      return await report(await context(inputs, surroundings), command, null, runner);
    const idle = onPush(inputs, workflow);
    if (idle !== null) return await report(idle, command, null, runner);
    const step = await createStep(inputs, surroundings);
    subject = step.subject;
    const outcome = withoutSecrets(inputs, step) ?? (await executeCommand(inputs, step));
    return await report(outcome, command, subject, runner);
  } catch (error) {
    const advice = await adviceDespite(error, command.trim().toLowerCase(), world);
    if (advice) return await report(advice, command, null, runner);
    const { title, message } = explainError(error, subject && { subject, actor: workflow.actor });
    runner.annotate("error", title, message);
    const summary = { command, isFailure: true, title, message, subject, details: [] };
    await runner.summarise(renderSummary(summary));
    return 1;
  }
}

/** The outcome of a command that only gives advice, after an error; null for other commands. */
async function adviceDespite(error: unknown, command: string, world: World): Promise<Outcome | null> {
  if (command === "proved") return unprovedBy(error);
  return command === "context" ? contextFailed(error, world) : null;
}

function executeCommand(inputs: PullRequestInputs, step: Step): Promise<Outcome> {
  switch (inputs.command) {
    case "submit":
      return submit(inputs, step);
    case "cancel":
      return cancel(inputs, step);
    case "restart":
      return restart(inputs, step);
    case "impacted-targets":
      return impactedTargets(inputs, step);
    case "status":
      return status(inputs, step);
  }
}

async function report(
  outcome: Outcome,
  command: string,
  subject: Subject | null,
  runner: Runner,
): Promise<number> {
  const { verdict, isFailure, title, message, outputs } = outcome;
  for (const [name, value] of Object.entries(outputs)) runner.output(name, value);
  runner.output("verdict", verdict);
  if (isFailure) runner.annotate("error", title, message);
  else if (["skipped", "timed-out", "never-submitted", "not-proved"].includes(verdict))
    runner.annotate("notice", title, message);
  else runner.log(message);
  await runner.summarise(renderSummary({ ...outcome, command, subject }));
  return outcome.exitCode ?? (isFailure ? 1 : 0);
}

function surroundingsOf(inputs: Inputs, world: World): StepContext {
  const { runner, workflow, clock, signal, env } = world;
  const fetch = withDetails(world);
  const retry = retryOptions(world);
  const { apiUrl: baseUrl, apiToken } = inputs;
  const service = {
    baseUrl,
    ...(apiToken === null ? {} : { token: apiToken }),
    userAgent: "trainyard-action",
    fetch,
    retry,
  };
  const issueToken = tokenIssuer(inputs, world, retry);
  return { workflow, runner, service, issueToken, fetch, clock, signal, env };
}

async function createStep(inputs: PullRequestInputs, surroundings: StepContext): Promise<Step> {
  const { workflow, service, issueToken, fetch } = surroundings;
  const { apiToken, githubToken: token } = inputs;
  const retry = service.retry ?? { attempts };
  const github = token === null ? null : new GitHubApi({ apiUrl: workflow.apiUrl, token, fetch, retry });
  const subject = await resolveSubject(inputs, workflow, async (repository, pr) =>
    github ? loadPullRequest(github, repository, pr) : null,
  );
  const step = { ...surroundings, subject, github };
  // Of the commands here, only `submit` works with the job's own token. `impacted-targets` requests one later, when it has the list of
  // targets.
  if (inputs.command !== "submit" || apiToken !== null || issueToken === null || inputs.dryRun)
    return { ...step, client: createCheckedClient(service) };
  if (inputs.wait) {
    const problem =
      "needs an API token with the scope `read` in api-token; the job's own token can only submit";
    throw faultyInputs([{ input: "wait", problem }]);
  }
  return { ...step, client: createCheckedClient({ ...service, workflowToken: await issueToken() }) };
}

function tokenIssuer(
  { audience, apiUrl }: Inputs,
  { tokenRequest, runner, fetch }: World,
  retry: RetryOptions,
): TokenIssuer | null {
  if (tokenRequest === null) return null;
  return async (by = {}) => {
    const token = await requestWorkflowToken(tokenRequest, audience ?? apiUrl, { fetch, retry, ...by });
    runner.mask(token);
    return token;
  };
}

/** Logs each request with the status of its response and the time that it took. */
function withDetails({ fetch, runner, clock }: World): Fetch {
  return async (url, init) => {
    const began = clock.now();
    const response = await fetch(url, init);
    runner.detail(
      `${init.method ?? "GET"} ${url} was answered ${response.status} after ${clock.now() - began} ms`,
    );
    return response;
  };
}

function retryOptions({ runner, clock, signal }: World): RetryOptions {
  return {
    attempts,
    sleep: async (ms) => {
      runner.log(`No usable answer; trying again in ${(ms / 1000).toFixed(1)} s.`);
      await clock.sleep(ms, signal);
    },
  };
}

/** A workflow on `[pull_request, push]` runs its steps for pushes, too, which concern no pull request. */
function onPush({ command, pr }: PullRequestInputs, { isPush }: Workflow): Outcome | null {
  if (!isPush || pr !== null || (command !== "impacted-targets" && command !== "status")) return null;
  return {
    verdict: "skipped",
    isFailure: false,
    title: "No pull request",
    message: "This workflow runs for a push, which is about no pull request, so nothing was done.",
    outputs: {},
    details: [],
  };
}

/**
 * GitHub gives no secrets to workflows of pull requests from forks and from Dependabot. Without an API token, targets can still be
 * uploaded, also by a fork. A pull request that is not from a fork can be submitted if the job has a token of its own.
 */
function withoutSecrets(inputs: PullRequestInputs, { subject, workflow, issueToken }: Step): Outcome | null {
  if (inputs.command === "impacted-targets" || inputs.apiToken !== null || inputs.dryRun) return null;
  if (inputs.command === "submit" && issueToken !== null) return null;
  const isDependabot = workflow.actor === "dependabot[bot]";
  if (!subject.isFromFork && !isDependabot) {
    throw faultyInputs([
      {
        input: "api-token",
        problem: `is missing; set it from a secret with an API token${inputs.command === "submit" ? ", or give the job `id-token: write`" : ""}`,
      },
    ]);
  }
  const whose = isDependabot ? "Dependabot's pull requests" : "pull requests of forks";
  const remedy = isDependabot
    ? "Store the token in the Dependabot secrets too."
    : "Use a workflow on pull_request_target that does not check out the fork's code.";
  return {
    verdict: "skipped",
    isFailure: inputs.strict,
    title: "No token",
    message: `GitHub gives no secrets to the workflows of ${whose}, so nothing was done. ${remedy}`,
    outputs: {},
    details: [],
  };
}

function faultyInputs(issues: readonly InputIssue[]): StepError {
  const faults = issues.map(({ input, problem }) => `The input ${input} ${problem}.`);
  return new StepError(issues.length === 1 ? "An input is wrong" : "Inputs are wrong", faults.join("\n"));
}

function warnOfPlainHttp({ apiUrl, apiToken }: Inputs, { runner, tokenRequest }: World): void {
  const { protocol, hostname } = new URL(apiUrl);
  const isLocal = hostname === "localhost" || hostname === "[::1]" || hostname.startsWith("127.");
  if (protocol === "https:" || isLocal || (apiToken === null && tokenRequest === null)) return;
  runner.annotate(
    "warning",
    "The token is sent unencrypted",
    "The input api-url does not begin with https, so the token can be read on the network.",
  );
}
