import { execFile, execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { promisify } from "node:util";
import type { Octokit } from "@octokit/rest";
import type { Sandbox } from "../../tools/sandbox/sandbox.ts";
import { target } from "./scene.ts";

/** A fork of acme/widgets that belongs to a user with read access to the original. */
export class Fork {
  readonly owner: string;
  readonly #octokit: Octokit;

  readonly #directory: string;

  private constructor(owner: string, octokit: Octokit, directory: string) {
    this.owner = owner;
    this.#octokit = octokit;
    this.#directory = directory;
  }

  static async of(sandbox: Sandbox, owner: string, octokit: Octokit): Promise<Fork> {
    const repository = { owner, name: target.repo, forkOf: "acme/widgets", installed: false };
    const { directory } = await sandbox.createRepository(repository);
    return new Fork(owner, octokit, directory);
  }

  /** Fetches a commit from another repository, as every reader of it can. */
  async take(directory: string, sha: string): Promise<void> {
    await promisify(execFile)("git", ["fetch", "--quiet", directory, sha], { cwd: this.#directory });
  }

  get #at() {
    return { owner: this.owner, repo: target.repo };
  }

  /** Commits files, all with one content, on top of a commit, without moving any ref. */
  async commit(parent: string, ...paths: string[]): Promise<string> {
    const { git } = this.#octokit.rest;
    const { data: before } = await git.getCommit({ ...this.#at, commit_sha: parent });
    const { data: blob } = await git.createBlob({ ...this.#at, content: "1" });
    const tree = paths.map((path) => ({ path, mode: "100644", type: "blob", sha: blob.sha }) as const);
    const { data: made } = await git.createTree({ ...this.#at, base_tree: before.tree.sha, tree });
    const { data } = await git.createCommit({
      ...this.#at,
      message: `Add ${paths[0]}`,
      tree: made.sha,
      parents: [parent],
    });
    return data.sha;
  }

  /** Two commits whose SHAs share the first seven digits, each with one file on top of a commit. */
  async twins(parent: string, ...paths: readonly [string, string]): Promise<[string, string]> {
    const git = (input: Buffer, ...args: string[]) =>
      execFileSync("git", args, { cwd: this.#directory, input, encoding: "utf8" });
    const [one, other] = await Promise.all(paths.map((path) => this.commit(parent, path)));
    const textOf = (sha = "") => git(Buffer.alloc(0), "cat-file", "commit", sha);
    const texts = [textOf(one), textOf(other)] as const;
    const variant = (which: 0 | 1, nonce: number) => Buffer.from(`${texts[which]}\n${nonce}\n`);
    const prefixOf = (commit: Buffer) =>
      createHash("sha1").update(`commit ${commit.length}\0`).update(commit).digest("hex").slice(0, 7);
    const nonces = new Map(
      Array.from({ length: 40_000 }, (_, nonce) => [prefixOf(variant(0, nonce)), nonce]),
    );
    const write = (commit: Buffer) => git(commit, "hash-object", "-w", "-t", "commit", "--stdin").trim();
    for (let nonce = 0; ; nonce++) {
      const same = nonces.get(prefixOf(variant(1, nonce)));
      if (same !== undefined) return [write(variant(0, same)), write(variant(1, nonce))];
    }
  }

  async createBranch(branch: string, sha: string): Promise<void> {
    await this.#octokit.rest.git.createRef({ ...this.#at, ref: `refs/heads/${branch}`, sha });
  }

  async push(branch: string, sha: string, force = false): Promise<void> {
    await this.#octokit.rest.git.updateRef({ ...this.#at, ref: `heads/${branch}`, sha, force });
  }

  /** Opens a pull request into the original, from a new branch with one new commit or at the given commit. */
  async openPull(branch: string, commit?: string) {
    const { data: main } = await this.#octokit.rest.git.getRef({ ...this.#at, ref: "heads/main" });
    const sha = commit ?? (await this.commit(main.object.sha, `${branch}.txt`));
    await this.createBranch(branch, sha);
    const { data: pull } = await this.#octokit.rest.pulls.create({
      ...target,
      title: `Add ${branch}`,
      head: `${this.owner}:${branch}`,
      base: "main",
    });
    return { sha, pull };
  }
}
