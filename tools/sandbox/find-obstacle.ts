import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { promisify } from "node:util";

/** Returns one line with advice if nothing can listen on a loopback port; null = it is free. */
export async function findPortProblem(port: number): Promise<string | null> {
  const server = createServer();
  try {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "EADDRINUSE")
      return `Port ${port} is in use. Choose another one with --port, or leave --port out for a free one.`;
    if (code === "EACCES") return `Port ${port} needs more rights. Choose one above 1023 with --port.`;
    return `Port ${port} cannot be used: ${message}. Choose another one with --port.`;
  }
  server.close();
  await once(server, "close");
  return null;
}

/** The first version with `git merge-tree --write-tree`. */
const neededGit = [2, 38] as const;

/** Returns one line with advice about a missing or old git; null = git can be used. */
export async function findGitProblem(): Promise<string | null> {
  const needed = `git ${neededGit.join(".")} or later`;
  let version: string;
  try {
    ({ stdout: version } = await promisify(execFile)("git", ["--version"]));
  } catch {
    return `git was not found. Install ${needed}, then start this again.`;
  }
  const [, major = 0, minor = 0] = (/(\d+)\.(\d+)/.exec(version) ?? []).map(Number);
  const isOld = major < neededGit[0] || (major === neededGit[0] && minor < neededGit[1]);
  return isOld ? `This is ${version.trim()}. Install ${needed}, then start this again.` : null;
}
