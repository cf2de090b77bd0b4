import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { gitEnvironment } from "../sandbox/git/run-git.ts";

const run = promisify(execFile);

export interface HistoryCommit {
  readonly sha: string;
  readonly treeSha: string;
  readonly parents: readonly string[];
  /** The name of the person who committed it. */
  readonly committer: string;
}

type Files = Readonly<Record<string, string>>;

/** A person's clone of the repository, used with plain git. */
export class LocalRepository {
  readonly #directory: string;
  readonly #author: string;
  /** Serializes the work, because there is only one work tree. */
  #last: Promise<unknown> = Promise.resolve();

  private constructor(directory: string, author: string) {
    this.#directory = directory;
    this.#author = author;
  }

  static async clone(gitUrl: string, directory: string, user: { login: string; token: string }) {
    const url = gitUrl.replace("://", `://${user.login}:${user.token}@`);
    await run("git", ["clone", "--quiet", url, directory], { env: gitEnvironment() });
    return new LocalRepository(directory, user.login);
  }

  /** Creates a branch with one commit on top of a starting point. */
  branch(name: string, from: string, files: Files, message: string): Promise<void> {
    return this.#alone(async () => {
      await this.#git("checkout", "--quiet", "-B", name, from);
      await this.#commit(files, message);
    });
  }

  pushCommit(branch: string, files: Files, message: string): Promise<void> {
    return this.#alone(async () => {
      await this.#git("checkout", "--quiet", branch);
      await this.#commit(files, message);
      await this.#git("push", "--quiet", "origin", branch);
    });
  }

  push(...branches: string[]): Promise<void> {
    return this.#alone(async () => {
      await this.#git("push", "--quiet", "origin", ...branches);
    });
  }

  async exists(branch: string): Promise<boolean> {
    return (await this.#git("ls-remote", "--heads", "origin", branch)) !== "";
  }

  /** The commits of a remote branch along the first parents, oldest first. */
  history(branch: string): Promise<HistoryCommit[]> {
    return this.#alone(async () => {
      await this.#git("fetch", "--quiet", "origin");
      const log = await this.#git(
        "log",
        "--first-parent",
        "--reverse",
        "--format=%H %T %P%x09%cn",
        `origin/${branch}`,
      );
      return log.split("\n").flatMap((line) => {
        const [shas = "", committer = ""] = line.split("\t");
        const [sha, treeSha, ...parents] = shas.split(" ").filter((one) => one !== "");
        return sha && treeSha ? [{ sha, treeSha, parents, committer }] : [];
      });
    });
  }

  /** The current tree of a commit or remote branch. */
  treeOf(rev: string): Promise<string> {
    return this.#alone(async () => {
      await this.#git("fetch", "--quiet", "origin");
      return (await this.#git("rev-parse", `${rev}^{tree}`)).trim();
    });
  }

  /** The tree of a commit after merging the heads of pull requests, one after the other. Rejects when they conflict. */
  treeOfMerges(base: string, heads: readonly string[]): Promise<string> {
    return this.#alone(async () => {
      await this.#git("fetch", "--quiet", "origin", "+refs/pull/*/head:refs/remotes/pull/*");
      let tip = base;
      for (const head of heads) {
        const tree = (await this.#git("merge-tree", "--write-tree", tip, head)).trim();
        tip = (await this.#git("commit-tree", tree, "-p", tip, "-p", head, "-m", "Merge")).trim();
      }
      return (await this.#git("rev-parse", `${tip}^{tree}`)).trim();
    });
  }

  #alone<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => {});
    return result;
  }

  async #commit(files: Files, message: string): Promise<void> {
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(this.#directory, path)), { recursive: true });
      await writeFile(join(this.#directory, path), content);
    }
    await this.#git("add", "--all");
    await this.#git("commit", "--quiet", "--message", message);
  }

  async #git(...args: string[]): Promise<string> {
    const identity = ["-c", `user.name=${this.#author}`, "-c", `user.email=${this.#author}@example.com`];
    const { stdout } = await run("git", [...identity, ...args], {
      cwd: this.#directory,
      env: gitEnvironment(),
    });
    return stdout;
  }
}
