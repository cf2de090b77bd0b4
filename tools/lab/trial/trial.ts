import { inspect } from "node:util";
import { type KnownOptions, type ValuesOf, wholeOption } from "../../command-options.ts";
import type { Experiment, ExperimentOptions } from "../experiment.ts";
import { describeConfiguration, drawConfiguration } from "./configuration.ts";
import { runTrial, type TrialResult } from "./run-trial.ts";

interface TrialOptions {
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
  const nothing = { merged: 0, baseCommits: 0, ciStarts: 0, seconds: 0 };
  return { pullRequests, ...nothing, violations: [`the run broke off: ${inspect(error)}`] };
}

const about = `Plays many pull requests of every kind (good, broken together, conflicting, from forks, forbidden by rules or reviewers,
taken back) through queues of every kind, over real HTTP and git, on repositories with wild CI and rulesets. At the end no
commit of main was red, nothing good was evicted, nothing forbidden merged, main is what merging by hand makes of the
survivors, and every request kept to GitHub's description.`;

const known = {
  prs: { value: "n", default: "1000", about: "pull requests in all" },
  each: { value: "n", default: "50", about: "in each repository" },
  seed: { value: "n", default: "1", about: "decides the configurations, the pull requests and what CI does" },
  "at-once": { value: "n", default: "2", about: "repositories at the same time" },
  json: { about: "print each repository's result as a line of JSON" },
} as const satisfies KnownOptions;

function parse(values: ValuesOf<typeof known>): TrialOptions & ExperimentOptions {
  return {
    prs: wholeOption("prs", values.prs, 1, 1_000_000),
    each: wholeOption("each", values.each, 1, 1_000),
    seed: wholeOption("seed", values.seed, 1, 2 ** 31),
    atOnce: wholeOption("at-once", values["at-once"], 1, 100),
    json: values.json,
  };
}

/** Pull requests of every kind, through queues of every kind. */
export const trial: Experiment<typeof known, TrialOptions & ExperimentOptions> = {
  ...{ about, known, parse },
  async play(options, report) {
    const results = await playTrial(options, (index, configuration, result) => {
      const { pullRequests, merged, baseCommits, ciStarts, seconds, violations } = result;
      const line = `${configuration}\n   ${merged} of ${pullRequests} merged, ${baseCommits} commits of main, ${ciStarts} CI starts, ${seconds} s`;
      report.run({ name: `${index + 1}`, line, violations, json: { index, configuration, ...result } });
    });
    const sum = (value: (result: TrialResult) => number) =>
      results.reduce((total, result) => total + value(result), 0);
    return `${sum((one) => one.pullRequests)} pull requests in ${results.length} repositories, ${sum((one) => one.merged)} merged`;
  },
};
