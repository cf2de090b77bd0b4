import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** The first version with `git merge-tree --write-tree`. */
const neededGit = [2, 38] as const;

/** Returns one line that says what to do about a missing or old git; null = git can be used. */
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
