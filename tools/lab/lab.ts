import { flag, type Options, readOptions, type ToolCommand, type ValuesOf } from "../command-options.ts";

const usage = `Usage: npm run lab -- NAME [options]

Each experiment runs Trainyard on the local GitHub, lets things fail around it, and judges the outcome by the truth. It ends
with 1 when something is wrong.

  demo       the pull requests of a small team, with a dashboard to watch
  trial      pull requests of every kind through queues of every kind
  storm      the demo while GitHub, its webhooks and the service fail
  replicas   the demo on several services and one PostgreSQL server, while both are killed
  crash      short scenarios, while the service is killed before and after every durable effect
  chaos      the storm while the database and the clocks fail, too
  endurance  thousands of pull requests; measures what the service keeps

"npm run lab -- NAME --help" describes an experiment. Others have scripts of their own: npm run simulate, simulate:service,
simulate:flaky and soak play Trainyard in virtual time; npm run live checks the local GitHub against a real one.`;

/** Each is loaded when it is called. */
const experiments: Readonly<Record<string, (argv: readonly string[]) => Promise<number>>> = {
  trial: async (argv) => runExperiment((await import("./trial/trial.ts")).trial, argv),
  storm: async (argv) => runExperiment((await import("./storm/storm.ts")).storm, argv),
  replicas: async (argv) => runExperiment((await import("./replicas/replicas.ts")).replicas, argv),
  crash: async (argv) => runExperiment((await import("./crash/crash.ts")).crash, argv),
  chaos: async (argv) => runExperiment((await import("./chaos/chaos.ts")).chaos, argv),
  endurance: async (argv) => runExperiment((await import("./endurance/endurance.ts")).endurance, argv),
};

/** `trainyard lab`: performs an experiment, or lists all. Returns the exit code. */
export async function lab(name = "--help", argv: readonly string[]): Promise<number> {
  if (name === "--help") {
    console.log(usage);
    return 0;
  }
  const perform = Object.hasOwn(experiments, name) ? experiments[name] : undefined;
  if (perform) return perform(argv);
  console.error(`There is no experiment "${name}". "npm run lab" lists them.`);
  return 2;
}

/** An experiment: Trainyard works in a world that goes wrong, and a judge that knows the truth looks at the outcome. */
export interface Experiment<Known extends Options & typeof jsonOption> extends ToolCommand<Known> {
  /** Plays all runs. Returns what they amount to, in one line. */
  play(options: ValuesOf<Known>, report: Report): Promise<string>;
}

/** Every experiment has it. */
export const jsonOption = { json: flag };

/** Where an experiment reports. */
export interface Report {
  /** Says how far a run is. */
  progress(text: string): void;
  /** Reports a run that is over. */
  run(run: Run): void;
}

/** The outcome of a run. */
export interface Run {
  /** What repeats it, such as `seed 7`. */
  readonly name: string;
  /** What happened. */
  readonly line: string;
  /** What is wrong; empty when all is well. */
  readonly violations: readonly string[];
  /** What `--json` prints besides the violations. */
  readonly json: object;
}

/** Reads the options of an experiment, plays it, and prints its report. Returns the exit code. */
export async function runExperiment<Known extends Options & typeof jsonOption>(
  experiment: Experiment<Known>,
  argv: readonly string[],
): Promise<number> {
  const options = readOptions(argv, experiment);
  if (typeof options === "number") return options;
  const failed: string[] = [];
  const all = await experiment.play(options, {
    progress: (text) => console.error(`  ${text}`),
    run({ name, line, violations, json }) {
      console.error(`${name}: ${line}; ${violations.length} violations`);
      for (const violation of violations) console.error(`  WRONG: ${violation}`);
      if (options.json) console.log(JSON.stringify({ ...json, violations }));
      if (violations.length > 0) failed.push(name);
    },
  });
  const verdict = failed.length === 0 ? "no violations" : `violations in ${failed.join(", ")}`;
  console.error(`\n${all}: ${verdict}.`);
  return failed.length === 0 ? 0 : 1;
}
