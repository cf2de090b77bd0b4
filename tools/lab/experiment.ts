import { flag, type Options, readOptions, type ToolCommand, type ValuesOf } from "../command-options.ts";

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
