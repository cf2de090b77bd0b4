import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

export interface GitClone {
  directory: string;
  /** Runs git in the clone. Returns its output; rejects with its output if it fails. */
  git(...args: string[]): Promise<string>;
  /** Runs git, which has to fail. Returns its error output. */
  failure(...args: string[]): Promise<string>;
  commit(files: Record<string, string>, message: string): Promise<string>;
  remove(): Promise<void>;
}

const environment = {
  ...process.env,
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_SYSTEM: "/dev/null",
  GIT_TERMINAL_PROMPT: "0",
  GIT_AUTHOR_NAME: "Alice",
  GIT_AUTHOR_EMAIL: "alice@example.com",
  GIT_COMMITTER_NAME: "Alice",
  GIT_COMMITTER_EMAIL: "alice@example.com",
  LC_ALL: "C",
};

export async function runGit(directory: string, ...args: string[]): Promise<string> {
  const { stdout } = await run("git", args, { cwd: directory, env: environment });
  return stdout.trim();
}

/** An address with credentials in it, as CI systems write them. */
export const withCredentials = (gitUrl: string, user: string, token: string): string =>
  gitUrl.replace("//", `//${user}:${token}@`);

/** Clones over HTTP into a temporary directory. */
export async function cloneRepository(url: string): Promise<GitClone> {
  const directory = await mkdtemp(join(tmpdir(), "sandbox-clone-"));
  await runGit(directory, "clone", "--quiet", url, ".");
  const git = (...args: string[]) => runGit(directory, ...args);
  return {
    directory,
    git,
    async failure(...args) {
      try {
        await git(...args);
      } catch (error) {
        return String((error as { stderr: string }).stderr);
      }
      throw new Error(`git ${args.join(" ")} succeeded`);
    },
    async commit(files, message) {
      for (const [path, content] of Object.entries(files)) {
        await mkdir(join(directory, dirname(path)), { recursive: true });
        await writeFile(join(directory, path), content);
      }
      await git("add", "--all");
      await git("commit", "--quiet", "--message", message);
      return git("rev-parse", "HEAD");
    },
    remove: () => rm(directory, { recursive: true, force: true }),
  };
}
