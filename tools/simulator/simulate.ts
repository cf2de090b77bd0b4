import { readFileSync, writeFileSync } from "node:fs";
import type { QueueSettings } from "../../src/engine/model/settings.ts";
import { queueSettings } from "../../src/replay/engine-run/queue-settings.ts";
import { renderPullRequest, renderSummary, renderViolations } from "../../src/replay/render-replay.ts";
import type { Workload } from "../../src/replay/workload/workload.ts";
import { readOptions } from "../command-options.ts";
import { runGrid, runSmallGrid } from "./grid/run-grid.ts";
import {
  check,
  options as known,
  modelOf,
  overridesOf,
  presetOf,
  type SimulateOptions,
  usage,
} from "./options.ts";
import { Progress } from "./progress.ts";
import { runPolicy } from "./run-policy.ts";
import { generateWorkload } from "./workload/generate-workload.ts";
import { parseWorkload, renderWorkload } from "./workload/parse-workload.ts";

interface Scene {
  readonly workload: Workload;
  readonly mode: QueueSettings["mode"];
}

/** `trainyard simulate`: runs a workload in virtual time. Returns the exit code. */
export async function simulate(argv: readonly string[]): Promise<number> {
  const options = readOptions(argv, { name: "simulate", usage, options: known, check });
  if (typeof options === "number") return options;
  if (options.grid) return runGrid(options);
  if (options.smallGrid) return runSmallGrid(options);
  const scene = load(options);
  if ("problems" in scene) {
    for (const problem of scene.problems) console.error(problem);
    return 2;
  }
  if (options.save !== null) writeFileSync(options.save, renderWorkload(scene.workload));
  return run(scene, options);
}

function run({ workload, mode }: Scene, options: SimulateOptions): number {
  const settings = queueSettings(mode, workload.settings, options.queue);
  let violations = 0;
  for (const policy of options.policy ?? (["ours"] as const)) {
    const progress = new Progress(process.stderr, `${policy}: submitted`);
    const total = workload.pullRequests.length;
    const { outcome, summary } = runPolicy(policy, workload, settings, (count) =>
      progress.advance(Math.min(count, total), total),
    );
    progress.end();
    if (options.perPr) {
      for (const one of outcome.pullRequests) {
        if (options.json) console.log(JSON.stringify(one));
        else console.error(renderPullRequest(one));
      }
    }
    console.error(renderSummary(summary, outcome));
    if (options.json) console.log(JSON.stringify(summary));
    if (outcome.violations.length > 0) console.error(renderViolations(outcome.violations));
    violations += outcome.violations.length;
  }
  return violations === 0 ? 0 : 1;
}

function load(options: SimulateOptions): Scene | { readonly problems: readonly string[] } {
  const { workload: file } = options;
  if (file === null) {
    const { model, mode } = presetOf(options);
    return { workload: generateWorkload({ ...model, ...modelOf(options) }), mode };
  }
  const text = read(file);
  if (text === null) return { problems: [`${file} cannot be read.`] };
  const parsed = parseWorkload(text);
  if (!parsed.ok) return { problems: parsed.problems.map((problem) => `${file}: ${problem}`) };
  for (const warning of parsed.warnings) console.error(`${file}: ${warning}`);
  const { workload } = parsed;
  const isSeparable = workload.pullRequests.some(({ targets }) => targets !== "ALL");
  return {
    workload: { ...workload, settings: { ...workload.settings, ...overridesOf(options) } },
    mode: options.queue === null && isSeparable ? "parallel" : "single",
  };
}

function read(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return null;
  }
}
