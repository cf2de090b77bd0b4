import { between, oneOf, someOf, type ValuesOf, whole } from "../../command-options.ts";
import { faultKinds } from "../../sandbox/faults/fault-plan.ts";
import { describeRun } from "../demo/result.ts";
import { minPullRequests } from "../demo/scenario.ts";
import { type Experiment, jsonOption, type Report } from "../experiment.ts";
import { configurationNames, runStorm } from "./run-storm.ts";

const usage = `Usage: npm run lab -- storm [options]

Runs the demo while GitHub fails in every way that it can, webhooks get lost, come late, twice, or out of order, and
the service is killed at random. At the end everything must be as the truth demands, and GitHub must show it.

  --seeds N            how many runs (default 20); each seed has the next configuration:
                       ${configurationNames.join(", ")}
  --from N             the first seed (default 1)
  --configuration NAME that one for all seeds
  --prs N              pull requests in each run (at least ${minPullRequests}, default 100)
  --kills N            SIGKILLs of the service in each run (default 10)
  --faults SHARE       calls to GitHub that go wrong, 0 to 1 (default 0.1)
  --kinds LIST         only faults of these kinds: ${faultKinds.join(",")}
  --outage MINUTES     GitHub cannot be reached at all for so long, in the middle of each run (default 0)
  --concurrency N      tests at once (default 6)
  --patience MINUTES   if no pull request ends for so long, besides the outage, the remaining ones are stuck (default 5)
  --json               print each run as a line of JSON`;

const options = {
  seeds: whole(20, 1, 100_000),
  from: whole(1, 0, 2 ** 31),
  configuration: oneOf(configurationNames, null),
  prs: whole(100, minPullRequests, 500),
  kills: whole(10, 0, 1_000),
  faults: between(0.1, 0, 1),
  kinds: someOf(faultKinds, null),
  outage: between(0, 0, 600),
  concurrency: whole(6, 1, 100),
  patience: between(5, 0.1, 600),
  ...jsonOption,
};

async function play(given: ValuesOf<typeof options>, report: Report): Promise<string> {
  let [faults, seconds] = [0, 0];
  const plan = { ...given, outageMinutes: given.outage, patienceMs: given.patience * 60_000 };
  for (let seed = given.from; seed < given.from + given.seeds; seed++) {
    const progress = (text: string) => report.progress(`seed ${seed}, ${text}`);
    const { configuration, result, violations } = await runStorm(plan, seed, { progress });
    const line = `${configuration}, ${describeRun(result)}`;
    report.run({ name: `seed ${seed}`, line, violations, json: { seed, configuration, ...result } });
    faults += sum(Object.values(result?.faults ?? {}));
    seconds += result?.seconds ?? 0;
  }
  return `${given.seeds} runs, ${faults} faults of GitHub, ${Math.round(seconds)} s`;
}

const sum = (counts: readonly number[]): number => counts.reduce((all, count) => all + count, 0);

/** The demo under faults, for many seeds. */
export const storm: Experiment<typeof options> = { name: "lab storm", usage, options, play };
