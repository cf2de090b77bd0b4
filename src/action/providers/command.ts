import { itemsPrintedBy } from "../child-process.ts";
import type { Change, Impact } from "./provider.ts";

/** The options of bash for a workflow's `shell: bash`. With `pipefail`, the output of a failing pipe does not count as a short list. */
const bash = ["--noprofile", "--norc", "-eo", "pipefail", "-c"];

/** The targets that a program prints, one a line. Its environment names the commits to compare. */
export function targetsByCommand(shellCommand: string, { git, baseSha, headSha }: Change): Impact {
  const env = { ...git.env, TRAINYARD_BASE_SHA: baseSha, TRAINYARD_HEAD_SHA: headSha };
  const program = { ...git, env, file: "bash", label: "targets-command", args: [...bash, shellCommand] };
  return { all: false, targets: trimmed(itemsPrintedBy(program, "\n", "log")) };
}

async function* trimmed(batches: AsyncIterable<readonly string[]>): AsyncGenerator<readonly string[]> {
  for await (const lines of batches) yield lines.map((line) => line.trim()).filter((line) => line !== "");
}
