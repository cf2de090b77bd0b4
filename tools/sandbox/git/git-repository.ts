import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type Commit,
  formatCommit,
  formatTree,
  type GitObject,
  ObjectReader,
  parseCommit,
  parseTree,
  type TreeEntry,
  writeObject,
} from "./git-object.ts";

import { RefStore } from "./ref-store.ts";
import { runGit } from "./run-git.ts";

// Speed is more important than durability, because the state around the repository is only in memory.
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

interface Node extends Commit {
  /** One more than the greatest generation of the parents, so an ancestor's is always smaller. */
  generation: number;
}

interface Divergence {
  /** Best common ancestor; null for unrelated histories. */
  mergeBase: Commit | null;
  /** Whether there are other best common ancestors, as after merges in both directions. */
  isCrissCross: boolean;
  /** Commits of one side that the other side lacks, children before parents. */
  onlyLeft: Commit[];
  onlyRight: Commit[];
}

const LEFT = 1;
const RIGHT = 2;
const BOTH = LEFT | RIGHT;
/** Marks commits that are reachable from a merge base, so they are never the best one. */
const STALE = 4;

/** Commit ancestry. Each commit is read once and kept, because commits never change. */
export class CommitGraph {
  readonly #nodes = new Map<string, Node>();
  readonly #load: (sha: string) => Promise<Commit | null>;

  constructor(load: (sha: string) => Promise<Commit | null>) {
    this.#load = load;
  }

  /**
   * Returns the commit with its generation, or null if it does not exist.
   * @throws if the commit's history is incomplete
   */
  async commit(sha: string): Promise<Node | null> {
    const known = this.#nodes.get(sha);
    if (known !== undefined) return known;
    const wanted = await this.#load(sha);
    if (wanted === null) return null;
    const stack = [wanted];
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const missing = top.parents.find((parent) => !this.#nodes.has(parent));
      if (missing === undefined) {
        stack.pop();
        const generations = top.parents.map((parent) => this.#node(parent).generation);
        this.#nodes.set(top.sha, { ...top, generation: 1 + Math.max(0, ...generations) });
        continue;
      }
      const parent = await this.#load(missing);
      if (parent === null) throw new Error(`commit ${top.sha} lacks its parent ${missing}`);
      stack.push(parent);
    }
    return this.#node(sha);
  }

  /** Whether `ancestor` is `descendant` or reachable from it. Both must exist. */
  async contains(descendant: string, ancestor: string): Promise<boolean> {
    if (ancestor === descendant) return true;
    const [from, to] = [await this.commit(descendant), await this.commit(ancestor)];
    if (from === null || to === null) return false;
    const seen = new Set([from.sha]);
    const stack = [from];
    for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
      if (node.sha === to.sha) return true;
      for (const sha of node.parents) {
        const parent = this.#node(sha);
        if (seen.has(sha) || parent.generation < to.generation) continue;
        seen.add(sha);
        stack.push(parent);
      }
    }
    return false;
  }

  /** Computes how two commits diverge, with git's paint-down-to-common ordered by generation. Both must exist. */
  async divergence(left: string, right: string): Promise<Divergence> {
    const flags = new Map<string, number>();
    const queue: Node[] = [];
    const paint = (node: Node, colours: number) => {
      const before = flags.get(node.sha);
      flags.set(node.sha, (before ?? 0) | colours);
      if (before !== undefined) return;
      const at = queue.findIndex((other) => other.generation <= node.generation);
      queue.splice(at === -1 ? queue.length : at, 0, node);
    };
    for (const [sha, colour] of [
      [left, LEFT],
      [right, RIGHT],
    ] as const) {
      const node = await this.commit(sha);
      if (node === null) throw new Error(`no commit ${sha}`);
      paint(node, colour);
    }
    const result: Divergence = { mergeBase: null, isCrissCross: false, onlyLeft: [], onlyRight: [] };
    while (queue.some((node) => ((flags.get(node.sha) ?? 0) & STALE) === 0)) {
      const node = queue.shift();
      if (node === undefined) break;
      let colours = flags.get(node.sha) ?? 0;
      if (colours === LEFT) result.onlyLeft.push(node);
      else if (colours === RIGHT) result.onlyRight.push(node);
      else if (colours === BOTH) {
        result.isCrissCross = result.mergeBase !== null;
        result.mergeBase ??= node;
        colours |= STALE;
      }
      for (const parent of node.parents) paint(this.#node(parent), colours);
    }
    return result;
  }

  /** Returns the commits reachable from `include` but not from `exclude` (null = exclude none), children before parents. */
  async range(exclude: string | null, include: string): Promise<Commit[]> {
    if (exclude !== null && (await this.commit(exclude)) !== null) {
      return (await this.divergence(exclude, include)).onlyRight;
    }
    const commits: Commit[] = [];
    const start = await this.commit(include);
    const seen = new Set<string>();
    const stack = start === null ? [] : [start];
    for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
      if (seen.has(node.sha)) continue;
      seen.add(node.sha);
      commits.push(node);
      stack.push(...node.parents.map((parent) => this.#node(parent)));
    }
    return commits.sort((a, b) => this.#node(b.sha).generation - this.#node(a.sha).generation);
  }

  #node(sha: string): Node {
    const node = this.#nodes.get(sha);
    if (node === undefined) throw new Error(`commit ${sha} was not read`);
    return node;
  }
}
