import type { Octokit } from "@octokit/rest";
import { messageOf, statusOf } from "../../src/github/client/code-host-error.ts";
import type { Repository } from "../../src/github/client/repository-api.ts";
import { Belongings } from "./belongings.ts";
import { NotAsked } from "./claim.ts";
import type { NewRuleset } from "./under-rules.ts";

export interface Pull {
  readonly number: number;
  readonly base: string;
  readonly head: string;
  /** The head SHA. */
  readonly sha: string;
}

export type Files = Readonly<Record<string, string>>;

export interface Author {
  readonly name: string;
  readonly email: string;
}

/** Prefix of the names of all branches and rulesets that are created. */
export const scratchPrefix = "trainyard-live/";

/**
 * Creates the objects that claims need, under names of this run, and deletes them. Its commits never have a commit of the
 * repository as a parent.
 */
export class Scratch {
  readonly #github: Octokit;
  readonly #at: Repository;
  readonly #run: string;
  /** The trees of the commits that this run created. */
  readonly #trees = new Map<string, string>();
  readonly #belongings = new Belongings();
  #names = 0;
  #root: Promise<string> | null = null;

  /** @param run is part of every name */
  constructor(github: Octokit, at: Repository, run: string) {
    this.#github = github;
    this.#at = at;
    this.#run = run;
  }

  /** Returns a text that is unique. */
  unique(label: string): string {
    return `${this.prefix}${++this.#names}/${label}`;
  }

  /** Returns a name for a branch. The branch is deleted at the end, no matter how it is created. */
  name(label: string): string {
    const name = this.unique(label);
    this.own(name);
    return name;
  }

  /**
   * Registers a branch for deletion at the end.
   * @throws for a branch that does not belong to this run
   */
  own(branch: string): void {
    if (!branch.startsWith(this.prefix)) throw new Error(`${branch} is not of this run`);
    this.#belongings.branches.add(branch);
  }

  /** Creates a commit without parents, once. No workflow of the repository runs on it, because it contains no workflow file. */
  root(): Promise<string> {
    this.#root ??= this.#commit([], { "README.md": "Created by npm run live.\n" }, "Begin");
    return this.#root;
  }

  /** Creates a commit that no branch points to. */
  async commit(parent: string, files: Files, message = "Change files", author?: Author): Promise<string> {
    return this.#commit([parent], files, message, author);
  }

  async branch(label: string, sha?: string): Promise<string> {
    const name = this.name(label);
    await this.#github.rest.git.createRef({
      ...this.#at,
      ref: `refs/heads/${name}`,
      sha: sha ?? (await this.root()),
    });
    return name;
  }

  /** Creates a pull request with a new head branch and, by default, a new base branch. */
  async pull({
    base,
    files = { "a.txt": "1\n" },
    message = "Add a",
    title = "Add a",
    draft = false,
  }: {
    base?: string;
    files?: Files;
    message?: string;
    title?: string;
    draft?: boolean;
  } = {}): Promise<Pull> {
    const into = base ?? (await this.branch("base"));
    const sha = await this.commit(await this.root(), files, message);
    const head = await this.branch("head", sha);
    const { number } = await this.open({ title, head, base: into, draft });
    return { number, base: into, head, sha };
  }

  /** Opens a pull request between existing branches. */
  async open(pull: {
    title: string;
    head: string;
    base: string;
    draft?: boolean;
  }): Promise<{ number: number }> {
    const { data } = await this.#github.rest.pulls.create({ ...this.#at, ...pull });
    this.#belongings.pulls.add(data.number);
    return { number: data.number };
  }

  async comment(issue_number: number, body: string) {
    const { data } = await this.#belongings.create(`a comment on #${issue_number}`, () =>
      this.#github.rest.issues.createComment({ ...this.#at, issue_number, body }),
    );
    this.#belongings.comments.add(data.id);
    return data;
  }

  /**
   * Creates a ruleset for branches of this run.
   * @throws NotAsked when the repository does not support such a ruleset
   */
  async ruleset(branches: readonly string[], ruleset: NewRuleset): Promise<number> {
    const ref_name = { include: branches.map((branch) => `refs/heads/${branch}`), exclude: [] };
    const name = this.unique("rules");
    const { data } = await this.#belongings
      .create(`ruleset ${name}`, () =>
        this.#github.rest.repos.createRepoRuleset({
          ...this.#at,
          name,
          enforcement: "active",
          conditions: { ref_name },
          ...ruleset,
        }),
      )
      .catch((error: unknown) => {
        if (statusOf(error) !== 422) throw error;
        throw new NotAsked(`the repository may not have such a ruleset: ${messageOf(error)}`);
      });
    this.#belongings.rulesets.add(data.id);
    return data.id;
  }

  /** Replaces what differs between runs: branch names, the owner's login, SHAs and numbers of pull requests. */
  mask(text: string): string {
    return text
      .replaceAll(new RegExp(`${this.prefix}\\d+/`, "g"), "")
      .replaceAll(new RegExp(`\\b${this.#at.owner}(?=[:/])`, "gi"), "OWNER")
      .replaceAll(/\b[0-9a-f]{40}\b/g, "SHA")
      .replaceAll(/#\d+/g, "#N");
  }

  /** Deletes everything, and closes pull requests, which GitHub never deletes. Returns what is left, with the reasons. */
  removeAll(): Promise<string[]> {
    return this.#belongings.removeAll(this.#github, this.#at);
  }

  /** Prefix of the name of every branch and ruleset of this run. */
  get prefix(): string {
    return `${scratchPrefix}${this.#run}/`;
  }

  get pullRequests(): readonly number[] {
    return [...this.#belongings.pulls];
  }

  async #commit(parents: string[], files: Files, message: string, author?: Author): Promise<string> {
    const { git } = this.#github.rest;
    const [parent] = parents;
    const before = parent === undefined ? null : await this.#treeOf(parent);
    const tree = await git.createTree({
      ...this.#at,
      ...(before === null ? {} : { base_tree: before }),
      tree: Object.entries(files).map(([path, content]) => ({
        path,
        content,
        mode: "100644" as const,
        type: "blob" as const,
      })),
    });
    const commit = { ...this.#at, message, tree: tree.data.sha, parents };
    const { data } = await git.createCommit(author ? { ...commit, author } : commit);
    this.#trees.set(data.sha, data.tree.sha);
    return data.sha;
  }

  async #treeOf(sha: string): Promise<string> {
    const known = this.#trees.get(sha);
    if (known !== undefined) return known;
    return (await this.#github.rest.git.getCommit({ ...this.#at, commit_sha: sha })).data.tree.sha;
  }
}
