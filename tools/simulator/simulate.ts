import { readFileSync, writeFileSync } from "node:fs";
import type { Command } from "commander";
import { printFailure, printJson } from "../../src/cli/print-json.ts";
import type { QueueSettings } from "../../src/engine/model/settings.ts";
import { queueSettings } from "../../src/replay/engine-run/queue-settings.ts";
import { renderPullRequest, renderSummary, renderViolations } from "../../src/replay/render-replay.ts";
import type { Workload } from "../../src/replay/workload/workload.ts";
import { defineTool } from "../command-options.ts";
import { runGrid, runSmallGrid } from "./grid/run-grid.ts";
import { about, known, parseOptions, type SimulateOptions } from "./options.ts";
import { Progress } from "./progress.ts";
import { runPolicy } from "./run-policy.ts";
import { generateWorkload } from "./workload/generate-workload.ts";
import { type Preset, presets } from "./workload/model.ts";
import { parseWorkload, renderWorkload } from "./workload/parse-workload.ts";

interface Scene {
  readonly workload: Workload;
  readonly mode: QueueSettings["mode"];
}

/** Adds the options of `trainyard simulate`, which runs a workload in virtual time. */
export function defineSimulate(command: Command): void {
  defineTool(command, { about, known, parse: parseOptions }, simulate);
}

async function simulate(options: SimulateOptions): Promise<number> {
  if (options.grid) return runGrid(options);
  if (options.smallGrid) return runSmallGrid(options);
  const scene = load(options);
  if ("problems" in scene) {
    for (const problem of scene.problems) printFailure("WORKLOAD_NOT_VALID", problem, options.json);
    return 2;
  }
  if (options.save !== null) writeFileSync(options.save, renderWorkload(scene.workload));
  return run(scene, options);
}

function run({ workload, mode }: Scene, options: SimulateOptions): number {
  const settings = queueSettings(mode, workload.settings, options.queue);
  let violations = 0;
  for (const policy of options.policies) {
    const progress = new Progress(process.stderr, `${policy}: submitted`);
    const total = workload.pullRequests.length;
    const { outcome, summary } = runPolicy(policy, workload, settings, (count) =>
      progress.advance(Math.min(count, total), total),
    );
    progress.end();
    if (options.perPullRequest) {
      for (const one of outcome.pullRequests) {
        if (options.json) printJson(one);
        else console.error(renderPullRequest(one));
      }
    }
    console.error(renderSummary(summary, outcome));
    if (options.json) printJson(summary);
    if (outcome.violations.length > 0) console.error(renderViolations(outcome.violations));
    violations += outcome.violations.length;
  }
  return violations === 0 ? 0 : 1;
}

function load({
  source,
  model,
  overrides,
  queue,
}: SimulateOptions): Scene | { readonly problems: readonly string[] } {
  if ("preset" in source) {
    const preset: Preset = presets[source.preset];
    return { workload: generateWorkload({ ...preset.model, ...model }), mode: preset.mode };
  }
  const text = read(source.file);
  if (text === null) return { problems: [`${source.file} cannot be read.`] };
  const parsed = parseWorkload(text);
  if (!parsed.ok) return { problems: parsed.problems.map((problem) => `${source.file}: ${problem}`) };
  for (const warning of parsed.warnings) console.error(`${source.file}: ${warning}`);
  const { workload } = parsed;
  const isSeparable = workload.pullRequests.some(({ targets }) => targets !== "ALL");
  return {
    workload: { ...workload, settings: { ...workload.settings, ...overrides } },
    mode: queue === null && isSeparable ? "parallel" : "single",
  };
}

function read(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return null;
  }
}
