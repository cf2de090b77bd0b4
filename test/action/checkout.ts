import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";

const run = promisify(execFile);

/**
 * Creates a repository as actions/checkout leaves it, with a topic branch that adds empty files to `main`.
 * Returns the head SHA.
 */
export async function createCheckout(workspace: string, paths: Iterable<string>): Promise<string> {
  await mkdir(workspace, { recursive: true });
  await run("git", ["init", "--quiet", workspace]);
  const importing = spawn("git", ["-C", workspace, "fast-import", "--quiet"], {
    stdio: ["pipe", "ignore", "inherit"],
  });
  const ended = once(importing, "close");
  await pipeline(Readable.from(history(paths)), importing.stdin);
  await ended;
  await run("git", ["-C", workspace, "symbolic-ref", "HEAD", "refs/heads/topic"]);
  const { stdout } = await run("git", ["-C", workspace, "rev-parse", "topic"]);
  return stdout.trim();
}

function* history(paths: Iterable<string>): Generator<string> {
  const commit = (ref: string) =>
    `commit ${ref}\ncommitter Alice <alice@example.com> 1700000000 +0000\ndata 1\nx\n`;
  yield "blob\nmark :1\ndata 0\n\n";
  yield `${commit("refs/remotes/origin/main")}M 100644 :1 README.md\n\n`;
  yield `${commit("refs/heads/topic")}from refs/remotes/origin/main\n`;
  for (const path of paths) yield `M 100644 :1 ${path}\n`;
  yield "\n";
}
