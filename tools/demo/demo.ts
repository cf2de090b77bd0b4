import { parseArgs } from "node:util";
import { untilStopped } from "../../src/cli/signals.ts";
import { killAtRandom } from "./kill-at-random.ts";
import { showProgress } from "./progress.ts";
import type { DemoResult } from "./result.ts";
import { type DemoOptions, type RunningDemo, runDemo } from "./run-demo.ts";
import { minPullRequests } from "./scenario.ts";

const usage = `Usage: npm run demo -- [options]

  --exit                   end when the queue is empty, and judge what came of it
  --json                   print the result as one line of JSON
  --prs N                  how many pull requests (at least ${minPullRequests}, default 30)
  --seed N                 decides how long CI takes (default 1)
  --merge-method METHOD    merge_commit (default) or squash
  --concurrency N          tests at once (default 4)
  --mode MODE              single (default), or parallel: pull requests wait only for those that impact the same
  --batch                  test three pull requests together, and bisect what fails
  --drop-webhooks SHARE    lose webhooks, 0 to 1 (default 0)
  --kills N                kill the service (SIGKILL) at N random moments (default 0)
  --port N                 where the dashboard is (default: one that is free)`;

/**
 * `trainyard demo`: runs the standard demo on a local GitHub. Returns the exit code, which is 0 when the demo was stopped on
 * request.
 */
export async function demo(argv: readonly string[], stop: AbortSignal): Promise<number> {
  if (argv.includes("--help")) {
    console.log(usage);
    return 0;
  }
  const parsed = parse(argv);
  if ("problem" in parsed) {
    console.error(`${parsed.problem}\n\n${usage}`);
    return 2;
  }
  const { options, exit, json, kills } = parsed;
  let isOver = false;
  const watch = async (running: RunningDemo) => {
    await Promise.all([
      introduce(running, exit),
      showProgress(running, process.stderr),
      killAtRandom(running, { kills, seed: options.seed, everyMs: [100, 1_000] }),
    ]);
    isOver = true;
    if (!exit) await stay(running, stop);
  };
  if (stop.aborted) return 0;
  const abandon = new AbortController();
  stop.addEventListener("abort", () => isOver || abandon.abort());
  const result = await runDemo({ ...options, watch, abandon: abandon.signal }).catch((error: unknown) => {
    if (!abandon.signal.aborted) throw error;
    // Work in progress would keep the process alive for no result.
    process.exit(0);
  });
  if (json) console.log(JSON.stringify(result));
  else report(result);
  return result.violations.length === 0 ? 0 : 1;
}

async function introduce(
  { service, sandbox, queue, flakyTestPage }: RunningDemo,
  exit: boolean,
): Promise<void> {
  const { repo, targetBranch } = queue;
  const page = ["queues", repo.host, repo.owner, repo.name, targetBranch].map(encodeURIComponent).join("/");
  console.error(`A local GitHub at ${sandbox.url}, Trainyard at ${service.url}`);
  console.error(
    `Watch the queue in a browser: ${service.url}/${page}${exit ? "" : "  (Ctrl-C ends the demo)"}`,
  );
  console.error(`A test that is known to be flaky, and will fail in the queue: ${flakyTestPage}\n`);
}

/** Keeps everything running so that people can try it by hand. */
async function stay({ sandbox, users, queue }: RunningDemo, stop: AbortSignal): Promise<void> {
  const { repo } = queue;
  const { alice } = users;
  console.error(`\nThe queue is empty. Everything stays up until Ctrl-C. To try it by hand, as alice:

  git clone http://alice:${alice?.token}@${sandbox.host}/${repo.owner}/${repo.name}.git
  # push a branch, then open a pull request and comment on it:
  curl -H "Authorization: token ${alice?.token}" ${sandbox.url}/repos/${repo.owner}/${repo.name}/pulls -d '{"title":"Mine","head":"BRANCH","base":"main"}'
  curl -H "Authorization: token ${alice?.token}" ${sandbox.url}/repos/${repo.owner}/${repo.name}/issues/NUMBER/comments -d '{"body":"/trainyard merge"}'
`);
  await untilStopped(stop);
}

function report(result: DemoResult): void {
  const { prs, merged, failed, cancelled, baseCommitsChecked, baseCommitsRed, treeProofs, seconds } = result;
  console.error(`
${prs} pull requests in ${seconds} s: ${merged} merged, ${failed} failed, ${cancelled} cancelled.
${baseCommitsChecked} commits of main checked, ${baseCommitsRed} red. ${treeProofs} of ${merged} merged trees proved to be the tested ones.
${describeFlakes(result.flakes)}
${result.restCallsPerMerged} REST calls for each merged pull request, and ${result.graphqlCalls} GraphQL calls in all; ${result.contentRequestsPerMerged} requests for each create what people see, and ${result.writingRequestsPerMerged} create or change it.`);
  for (const violation of result.violations) console.error(`WRONG: ${violation}`);
}

function describeFlakes({ failed, rerun, forgiven, discarded, evicted }: DemoResult["flakes"]): string {
  const outcomes = [`${rerun} re-run`, `${forgiven} quarantined and forgiven`];
  if (discarded > 0) outcomes.push(`${discarded} in tests that were discarded`);
  const victims = evicted === 0 ? "nobody" : evicted;
  return `Flaky tests failed in the queue ${failed} times: ${outcomes.join(", ")}; ${victims} evicted.`;
}

function parse(
  argv: readonly string[],
):
  | { problem: string }
  | { options: Omit<DemoOptions, "watch" | "abandon">; exit: boolean; json: boolean; kills: number } {
  try {
    const { values } = parseArgs({
      args: [...argv],
      options: {
        exit: { type: "boolean", default: false },
        json: { type: "boolean", default: false },
        prs: { type: "string", default: "30" },
        seed: { type: "string", default: "1" },
        "merge-method": { type: "string", default: "merge_commit" },
        concurrency: { type: "string", default: "4" },
        mode: { type: "string", default: "single" },
        batch: { type: "boolean", default: false },
        "drop-webhooks": { type: "string", default: "0" },
        kills: { type: "string", default: "0" },
        port: { type: "string" },
      },
    });
    const mergeMethod = values["merge-method"];
    if (mergeMethod !== "squash" && mergeMethod !== "merge_commit") {
      return { problem: "--merge-method must be squash or merge_commit." };
    }
    const { mode } = values;
    if (mode !== "single" && mode !== "parallel") return { problem: "--mode must be single or parallel." };
    return {
      exit: values.exit,
      json: values.json,
      kills: number("kills", values.kills, 0, 1000),
      options: {
        pullRequests: number("prs", values.prs, minPullRequests, 500),
        seed: number("seed", values.seed, 0, 2 ** 31),
        concurrency: number("concurrency", values.concurrency, 1, 100),
        dropWebhooks: Number(values["drop-webhooks"]),
        port: values.port === undefined ? null : number("port", values.port, 1, 65_535),
        ciDurationMs: [600, 1_200],
        mergeMethod,
        mode,
        batch: values.batch,
      },
    };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

function number(name: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw new Error(`--${name} must be a whole number from ${min} to ${max}.`);
}
