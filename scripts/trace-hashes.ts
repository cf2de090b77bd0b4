import { once } from "node:events";
import { readdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { isMainThread, parentPort, Worker } from "node:worker_threads";
import type { QueueSettings } from "../src/engine/model/settings.ts";
import { runEngine } from "../src/replay/engine-run/engine-run.ts";
import { queueSettings } from "../src/replay/engine-run/queue-settings.ts";
import { drawScenario } from "../tools/simulator/soak/draw-scenario.ts";
import { play } from "../tools/simulator/soak/play.ts";
import { readFixture } from "../tools/simulator/soak/shrink.ts";
import { generateWorkload } from "../tools/simulator/workload/generate-workload.ts";
import { presets } from "../tools/simulator/workload/model.ts";

/**
 * Prints a digest of the engine's events for soak seeds, fixtures, and workloads of the grids, a line each. A change that
 * alters nothing leaves all of them as they were:
 *
 *     node scripts/trace-hashes.ts | diff test/engine/trace-hashes.txt -
 *
 * A change that alters decisions on purpose writes that file again.
 */
const soakSeeds = 2_000;
const fixtures = join(import.meta.dirname, "..", "test", "engine", "fixtures");

type Job =
  | { readonly kind: "soak"; readonly seed: number }
  | { readonly kind: "fixture"; readonly name: string }
  | { readonly kind: "large"; readonly rate: number; readonly workers: number; readonly faults: Faults }
  | { readonly kind: "wild"; readonly seed: number; readonly mode: QueueSettings["mode"] }
  | {
      readonly kind: "small";
      readonly rate: number;
      readonly slots: number;
      readonly mode: QueueSettings["mode"];
      readonly queue: Partial<QueueSettings>;
    };

interface Faults {
  readonly bad?: number;
  readonly flakeRate?: number;
}

const byLoad = { batch: true, batchSizing: "by_load" } as const;
const queues: readonly Partial<QueueSettings>[] = [
  { policy: "adaptive", ...byLoad },
  { policy: "adaptive" },
  { policy: "fixed" },
  { policy: "fixed", batch: true, batchingMinSize: 4 },
];
const modes = ["single", "parallel"] as const;

/** The longest first, so that no processor is left alone with one at the end. */
function jobs(): Job[] {
  const large = [500, 300, 200, 100].flatMap((rate) =>
    [100, 200, 400].flatMap((workers) =>
      [{}, { bad: 0.1, flakeRate: 0.05 }].map(
        (faults) => ({ kind: "large", rate, workers, faults }) as const,
      ),
    ),
  );
  const wild = modes.flatMap((mode) => [501, 502].map((seed) => ({ kind: "wild", seed, mode }) as const));
  const small = [5, 20].flatMap((rate) =>
    [1, 2, 4, 8, 16].flatMap((slots) =>
      modes.flatMap((mode) => queues.map((queue) => ({ kind: "small", rate, slots, mode, queue }) as const)),
    ),
  );
  const named = readdirSync(fixtures).map((name) => ({ kind: "fixture", name }) as const);
  const soak = Array.from({ length: soakSeeds }, (_, index) => ({ kind: "soak", seed: index + 1 }) as const);
  return [...large, ...wild, ...small, ...named, ...soak];
}

function traceOf(job: Job): string {
  switch (job.kind) {
    case "soak":
      return play(drawScenario(job.seed)).trace;
    case "fixture":
      return play(readFixture(join(fixtures, job.name)).scenario).trace;
    case "large":
      return traceOfWorkload(
        "github",
        { rate: job.rate, workers: job.workers, seed: 11, ...job.faults },
        "parallel",
        {
          policy: "adaptive",
        },
      );
    case "wild":
      return traceOfWorkload("wild", { seed: job.seed }, job.mode, { policy: "adaptive", ...byLoad });
    case "small":
      return traceOfWorkload(
        "github",
        { rate: job.rate, workers: job.slots, seed: 41, bad: 0.08, flakeRate: 0.02, hours: 24 },
        job.mode,
        { concurrency: job.slots, bisectionConcurrency: job.slots, ...job.queue },
      );
  }
}

function traceOfWorkload(
  preset: "github" | "wild",
  changes: Partial<(typeof presets)["github"]["model"]>,
  mode: QueueSettings["mode"],
  queue: Partial<QueueSettings>,
): string {
  const model = { ...presets[preset].model, ...changes };
  return runEngine(generateWorkload(model), queueSettings(mode, model, queue)).trace;
}

async function main(): Promise<void> {
  const all = jobs();
  const waiting = all.entries();
  const lines: string[] = [];
  const work = async () => {
    const worker = new Worker(new URL(import.meta.url));
    for (const [index, job] of waiting) {
      worker.postMessage(job);
      const [trace] = await once(worker, "message");
      lines[index] = `${JSON.stringify(job)} ${trace.slice(0, 16)}`;
    }
    await worker.terminate();
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  console.log(lines.join("\n"));
}

if (isMainThread) await main();
else parentPort?.on("message", (job: Job) => parentPort?.postMessage(traceOf(job)));
