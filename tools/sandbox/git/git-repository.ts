import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CommitGraph } from "./commit-graph.ts";
import {
  type Commit,
  formatCommit,
  formatTree,
  parseCommit,
  parseTree,
  type TreeEntry,
} from "./git-object.ts";
import { type GitObject, ObjectReader, writeObject } from "./object-reader.ts";
import { RefStore } from "./ref-store.ts";
import { runGit } from "./run-git.ts";

// Speed matters more than durability: the state around the repository is in memory anyway.
const CONFIGURATION = `[core]
\trepositoryformatversion = 0
\tbare = true
\tfsync = none
[gc]
\tauto = 0
[uploadpack]
\tallowFilter = true
\tallowAnySHA1InWant = true
`;

/** Trees in memory. Each of a large repository takes megabytes. */
const mostTrees = 300;

/** A bare repository on disk: objects, refs, ancestry. Independent of GitHub. */
export class GitRepository {
  readonly directory: string;
  readonly refs: RefStore;
  readonly graph: CommitGraph;
  readonly #reader: ObjectReader;
  readonly #trees = new Map<string, TreeEntry[]>();

  private constructor(directory: string) {
    this.directory = directory;
    this.refs = new RefStore(directory);
    this.#reader = new ObjectReader(directory);
    this.graph = new CommitGraph((sha) => this.#loadCommit(sha));
  }

  /**
   * Creates an empty bare repository. `git init` writes the same files, and hooks that must not run here.
   * @throws if a repository already exists there
   */
  static create(directory: string, defaultBranch: string): GitRepository {
    if (existsSync(join(directory, "HEAD"))) throw new Error(`${directory} holds a repository already`);
    mkdirSync(join(directory, "objects/info"), { recursive: true });
    mkdirSync(join(directory, "objects/pack"), { recursive: true });
    mkdirSync(join(directory, "refs/heads"), { recursive: true });
    writeFileSync(join(directory, "HEAD"), `ref: refs/heads/${defaultBranch}\n`);
    writeFileSync(join(directory, "config"), CONFIGURATION);
    return new GitRepository(directory);
  }

  /** Null if the object does not exist. */
  readObject(sha: string): Promise<GitObject | null> {
    return this.#reader.read(sha);
  }

  /** Null if the commit does not exist. */
  commit(sha: string): Promise<Commit | null> {
    return this.graph.commit(sha);
  }

  /** Returns the entries of a tree, or null if the tree does not exist. */
  async readTree(sha: string): Promise<TreeEntry[] | null> {
    const known = this.#trees.get(sha);
    if (known !== undefined) return known;
    const object = await this.readObject(sha);
    if (object?.type !== "tree") return null;
    const entries = parseTree(object.content);
    for (const oldest of this.#trees.keys()) {
      if (this.#trees.size < mostTrees) break;
      this.#trees.delete(oldest);
    }
    this.#trees.set(sha, entries);
    return entries;
  }

  writeBlob(content: Buffer): string {
    return writeObject(this.directory, "blob", content);
  }

  writeTree(entries: readonly TreeEntry[]): string {
    return writeObject(this.directory, "tree", formatTree(entries));
  }

  writeCommit(commit: Omit<Commit, "sha">): string {
    return writeObject(this.directory, "commit", formatCommit(commit));
  }

  /** Copies a commit with all its ancestors and objects from another repository. Moves no ref. */
  async copyFrom(other: GitRepository, sha: string): Promise<void> {
    const fetched = await runGit(this.directory, ["fetch", "--quiet", "--no-tags", other.directory, sha]);
    if (fetched.exitCode !== 0) throw new Error(`could not copy ${sha}: ${fetched.stderr}`);
  }

  async close(): Promise<void> {
    this.refs.close();
    await this.#reader.close();
  }

  async #loadCommit(sha: string): Promise<Commit | null> {
    const object = await this.readObject(sha);
    return object?.type === "commit" ? parseCommit(sha, object.content) : null;
  }
}

/** The commits that a commit contains, the newest first; with a path, only those that changed it. */
export async function listCommits(directory: string, from: string, path?: string): Promise<string[]> {
  const { exitCode, stdout, stderr } = await runGit(directory, [
    "rev-list",
    from,
    ...(path === undefined ? [] : ["--", path]),
  ]);
  if (exitCode !== 0) throw new Error(`git rev-list: ${stderr.trim()}`);
  return stdout.toString("utf8").split("\n").filter(Boolean);
}
