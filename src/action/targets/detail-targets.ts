import { open } from "node:fs/promises";
import type { Runner } from "../runner.ts";
import type { Collected } from "./collect-targets.ts";

const mostShown = 1_000;

/** Logs the targets that were found, for debugging. */
export async function detailTargets({ file, count }: Collected, runner: Runner): Promise<void> {
  const handle = await open(file);
  let shown = 0;
  for await (const target of handle.readLines()) {
    runner.detail(`target: ${target}`);
    shown += 1;
    if (shown === mostShown) break;
  }
  await handle.close();
  if (count !== null && count > shown) runner.detail(`and ${count - shown} more targets; see ${file}`);
}
