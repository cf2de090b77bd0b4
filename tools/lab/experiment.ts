import type { Command } from "commander";
import { defineTool, type KnownOptions, type ToolCommand } from "../command-options.ts";

/** An experiment: Trainyard works in a world that goes wrong, and a judge that knows the truth examines the outcome. */
export interface Experiment<Known extends KnownOptions, Options extends ExperimentOptions>
  extends ToolCommand<Known, Options> {
  /** Plays all runs. Returns a summary in one line. */
  play(options: Options, report: Report): Promise<string>;
}

export interface ExperimentOptions {
  readonly json: boolean;
}

/** Receives the results of an experiment. */
export interface Report {
  progress(text: string): void;
  /** Reports a completed run. */
  run(run: Run): void;
}

/** The outcome of a run. */
export interface Run {
  /** Identifies the run, so that it can be repeated, such as `seed 7`. */
  readonly name: string;
  /** What happened. */
  readonly line: string;
  /** The violations; empty if there are none. */
  readonly violations: readonly string[];
  /** What `--json` prints in addition to the violations. */
  readonly json: object;
}

/** Adds the options of an experiment to a command. The command plays it, and prints its report. */
export function defineExperiment<Known extends KnownOptions, Options extends ExperimentOptions>(
  command: Command,
  experiment: Experiment<Known, Options>,
): void {
  defineTool(command, experiment, (options) => runExperiment(experiment, options));
}

async function runExperiment<Known extends KnownOptions, Options extends ExperimentOptions>(
  experiment: Experiment<Known, Options>,
  options: Options,
): Promise<number> {
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
