import { inspect } from "node:util";
import { type ValuesOf, whole } from "../../command-options.ts";
import { type Experiment, jsonOption } from "../experiment.ts";
import { describeConfiguration, drawConfiguration } from "./configuration.ts";
import { runTrial, type TrialResult } from "./run-trial.ts";

const usage = `Usage: npm run lab -- trial [options]

Plays many pull requests of every kind (good, broken together, conflicting, from forks, forbidden by rules or reviewers,
taken back) through queues of every kind, over real HTTP and git, on repositories with wild CI and rulesets. At the end no
commit of main was red, nothing good was evicted, nothing forbidden merged, main is what merging by hand makes of the
survivors, and every request kept to GitHub's description.

  --prs N     pull requests in all (default 1000)
  --each N    in each repository (default 50)
  --seed N    decides the configurations, the pull requests and what CI does (default 1)
  --at-once N repositories at the same time (default 2)
  --json      print each repository's result as a line of JSON
  --help      print this`;

const options = {
  prs: whole(1_000, 1, 1_000_000),
  each: whole(50, 1, 1_000),
  seed: whole(1, 1, 2 ** 31),
  atOnce: whole(2, 1, 100),
  ...jsonOption,
};

/** Plays all configurations of a trial, `atOnce` of them at the same time. */
export async function playTrial(
  { prs, each, seed, atOnce }: Omit<ValuesOf<typeof options>, "json">,
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

/** Pull requests of every kind, through queues of every kind. */
export const trial: Experiment<typeof options> = {
  ...{ name: "lab trial", usage, options },
  async play(given, report) {
    const results = await playTrial(given, (index, configuration, result) => {
      const { pullRequests, merged, baseCommits, ciStarts, seconds, violations } = result;
      const line = `${configuration}\n   ${merged} of ${pullRequests} merged, ${baseCommits} commits of main, ${ciStarts} CI starts, ${seconds} s`;
      report.run({ name: `${index + 1}`, line, violations, json: { index, configuration, ...result } });
    });
    const sum = (value: (result: TrialResult) => number) =>
      results.reduce((total, result) => total + value(result), 0);
    return `${sum((one) => one.pullRequests)} pull requests in ${results.length} repositories, ${sum((one) => one.merged)} merged`;
  },
};
