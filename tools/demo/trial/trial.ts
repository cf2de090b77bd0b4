import { parseArgs } from "node:util";
import { renderOptionProblem } from "../../../src/command/option-problem.ts";
import { describeConfiguration, drawConfiguration } from "./configuration.ts";
import { runTrial, type TrialResult } from "./run-trial.ts";

const usage = `Usage: npm run trial -- [options]

Plays many pull requests of every kind (good, broken together, conflicting, from forks, forbidden by rules or reviewers,
taken back) through queues of every kind, over real HTTP and git, on repositories with wild CI and rulesets. At the end no
commit of main was red, nothing good was evicted, nothing forbidden merged, main is what merging by hand makes of the
survivors, and every request kept to GitHub's description.

  --prs N     pull requests in all (default 1000)
  --each N    in each repository (default 50)
  --seed N    decides the configurations, the pull requests and what CI does (default 1)
  --at-once N repositories at the same time (default 2)
  --json      print each repository's result as a line of JSON`;

export interface TrialOptions {
  readonly prs: number;
  readonly each: number;
  readonly seed: number;
  readonly atOnce: number;
}

/** Plays all configurations of a trial, `atOnce` of them at the same time. */
export async function playTrial(
  { prs, each, seed, atOnce }: TrialOptions,
  tell: (index: number, configuration: string, result: TrialResult) => void,
): Promise<TrialResult[]> {
  const results: TrialResult[] = [];
  let next = 0;
  const work = async () => {
    for (let index = next++; index * each < prs; index = next++) {
      const configuration = drawConfiguration(seed, index);
      const count = Math.min(each, prs - index * each);
      const result = await runTrial(configuration, count).catch((error: unknown) => brokenOff(count, error));
      results.push(result);
      tell(index, describeConfiguration(configuration), result);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return results;
}

function brokenOff(pullRequests: number, error: unknown): TrialResult {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const nothing = { merged: 0, baseCommits: 0, ciStarts: 0, seconds: 0 };
  return { pullRequests, ...nothing, violations: [`the run broke off: ${text}`] };
}

/** `trainyard trial`. Returns the exit code. */
export async function trial(argv: readonly string[]): Promise<number> {
  if (argv.includes("--help")) {
    console.log(usage);
    return 0;
  }
  const parsed = parse(argv);
  if (typeof parsed === "string") {
    console.error(parsed);
    return 2;
  }
  const results = await playTrial(parsed, (index, configuration, result) => {
    if (parsed.json) return console.log(JSON.stringify({ index, configuration, ...result }));
    const { pullRequests, merged, baseCommits, ciStarts, seconds, violations } = result;
    console.log(
      `${index + 1}: ${configuration}\n   ${merged} of ${pullRequests} merged, ${baseCommits} commits of main, ${ciStarts} CI starts, ${seconds} s`,
    );
    for (const violation of violations) console.log(`   WRONG: ${violation}`);
  });
  const sum = (value: (result: TrialResult) => number) =>
    results.reduce((total, result) => total + value(result), 0);
  const wrong = sum(({ violations }) => violations.length);
  console.error(
    `${sum((one) => one.pullRequests)} pull requests in ${results.length} repositories: ${sum((one) => one.merged)} merged, ${wrong} violations.`,
  );
  return wrong === 0 ? 0 : 1;
}

function parse(argv: readonly string[]): (TrialOptions & { json: boolean }) | string {
  try {
    const text = { type: "string" } as const;
    const { values } = parseArgs({
      args: [...argv],
      options: { prs: text, each: text, seed: text, "at-once": text, json: { type: "boolean" } },
    });
    return {
      prs: whole("prs", values.prs, 1_000),
      each: whole("each", values.each, 50),
      seed: whole("seed", values.seed, 1),
      atOnce: whole("at-once", values["at-once"], 2),
      json: values.json ?? false,
    };
  } catch (error) {
    return renderOptionProblem(error, "trial", ["prs", "each", "seed", "at-once", "json"]);
  }
}

function whole(name: string, value: string | undefined, otherwise: number): number {
  const parsed = value === undefined ? otherwise : Number(value);
  if (Number.isSafeInteger(parsed) && parsed > 0) return parsed;
  throw new Error(`--${name} must be a whole number above 0.`);
}
