import { execFile } from "node:child_process";
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createCheckout } from "../test/action/checkout.ts";
import { actionStep, runSender, type SentEnd } from "./action-step.ts";
import type { Benchmark } from "./benchmark.ts";
import { toRow } from "./statistics.ts";

const runs = 7;
const files = 1_000_000;
const packages = 50;
const rules = Array.from({ length: packages }, (_, index) => `p${index}: packages/p${index}/**`).join("\n");
const bareSender = `await fetch(process.env.SERVICE_URL, { method: "POST", body: "{}" })`;

const about = `dist/index.js as a workflow starts it, against a service that answers at once.
action-first   ms from the spawn until the first request is there (impacted-targets, provider all); required: at most 300.
               Floor: node -e with one fetch
action-memory  the most resident memory, of the Action alone, with 600,000 targets of 40 bytes that a program prints, which become
               ALL; required: at most 250 MB. Floor: as above
action-paths   s for a whole step with provider paths, 50 lines and a million changed files; required: at most 2.
               Floor: git diff-tree of the same, once`;

export const action: Benchmark = {
  about,
  async *measure(tell) {
    await using place = await mkdtempDisposable(join(tmpdir(), "trainyard-bench-"));
    const workspace = join(place.path, "workspace");
    tell("a repository with a million files");
    const headSha = await createCheckout(workspace, paths());
    let count = 0;
    const step = async (inputs: Record<string, string>) => {
      const directory = join(place.path, String(count++));
      return runSender(await actionStep(inputs, { headSha, cwd: workspace, directory }));
    };
    const firsts: SentEnd[] = [];
    const bares: SentEnd[] = [];
    const lists: SentEnd[] = [];
    const diffs: SentEnd[] = [];
    const gits: number[] = [];
    for (let run = 0; run <= runs; run++) {
      tell(run === 0 ? "warm-up" : `run ${run} of ${runs}`);
      const args = ["--input-type=module", "--eval", bareSender];
      const bare = await runSender({ args, env: {}, cwd: place.path, directory: place.path });
      const first = await step({ provider: "all" });
      const list = await step({
        provider: "command",
        "targets-command": "seq -f '//packages/area/module:target-%010.0f' 600000",
      });
      const diff = await step({
        provider: "paths",
        "targets-paths": rules,
        "impact-all-paths": "default, package-lock.json",
      });
      const git = await diffTree(workspace, headSha);
      verify(list, '"ALL"');
      verify(diff, '"p49"');
      if (run === 0) continue;
      bares.push(bare);
      firsts.push(first);
      lists.push(list);
      diffs.push(diff);
      gits.push(git);
    }
    const of = (some: readonly SentEnd[], figure: "firstRequestSeconds" | "peakMegabytes" | "seconds") =>
      some.map((one) => one[figure] * (figure === "firstRequestSeconds" ? 1000 : 1));
    const first = "firstRequestSeconds";
    yield toRow("action-first", "ms", { values: of(firsts, first), floors: of(bares, first) });
    const memory = "peakMegabytes";
    yield toRow("action-memory", "MB", { values: of(lists, memory), floors: of(bares, memory) });
    yield toRow("action-paths", "s", { values: of(diffs, "seconds"), floors: gits });
  },
};

function* paths(): Generator<string> {
  for (let file = 0; file < files; file++) {
    yield `packages/p${file % packages}/src/d${Math.floor(file / 2_000)}/file-${file}.ts`;
  }
}

async function diffTree(cwd: string, headSha: string): Promise<number> {
  const began = performance.now();
  const args = ["diff-tree", "-r", "--name-only", "-z", "--no-renames", "origin/main", headSha];
  await promisify(execFile)("git", args, { cwd, maxBuffer: 2 ** 28 });
  return (performance.now() - began) / 1000;
}

function verify({ posted }: SentEnd, expected: string): void {
  if (!posted.includes(expected)) throw new Error(`${posted.slice(0, 200)} was posted`);
}
