import type { Octokit } from "@octokit/rest";
import type { Repository } from "../../src/github/branches.ts";
import { messageOf, statusOf } from "../../src/github/code-host-error.ts";
import { Belongings } from "./belongings.ts";
import { NotAsked } from "./claim.ts";
import type { NewRuleset } from "./new-ruleset.ts";

export interface Pull {
  readonly number: number;
  readonly base: string;
  readonly head: string;
  /** Of the head. */
  readonly sha: string;
}

export type Files = Readonly<Record<string, string>>;

export interface Author {
  readonly name: string;
  readonly email: string;
}

/** Begins the names of all branches and rulesets that are created. */
export const scratchPrefix = "trainyard-live/";

/** Creates what claims need, under names of this run's own, and deletes it. Nothing stands on the repository's own commits. */
export class Scratch {
  readonly #github: Octokit;
  readonly #at: Repository;
  readonly #run: string;
  /** Trees of our commits. */
  readonly #trees = new Map<string, string>();
  readonly #belongings = new Belongings();
  #names = 0;
  #root: Promise<string> | null = null;

  /** @param run is in every name */
  constructor(github: Octokit, at: Repository, run: string) {
    this.#github = github;
    this.#at = at;
    this.#run = run;
  }

  /** A text that nothing else has. */
  unique(label: string): string {
    return `${this.prefix}${++this.#names}/${label}`;
  }

  /** A name for a branch, which is deleted at the end, however it comes to be. */
  name(label: string): string {
    const name = this.unique(label);
    this.own(name);
    return name;
  }

  /** Has a branch deleted at the end. Throws for one that is not of this run. */
  own(branch: string): void {
    if (!branch.startsWith(this.prefix)) throw new Error(`${branch} is not of this run`);
    this.#belongings.branches.add(branch);
  }

  /** A commit without parents. On it, no workflow of the repository listens. */
  root(): Promise<string> {
    this.#root ??= this.#commit([], { "README.md": "Created by npm run live.\n" }, "Begin");
    return this.#root;
  }

  /** A commit on no branch. */
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

  /** A pull request between two branches of its own. */
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

  /** A pull request between branches that exist. */
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

  /** A ruleset for branches of this run. Throws `NotAsked` where the repository may not have it. */
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

  /** Replaces what differs from run to run: names of branches, the owner's login, numbers of pull requests. */
  mask(text: string): string {
    return text
      .replaceAll(new RegExp(`${this.prefix}\\d+/`, "g"), "")
      .replaceAll(new RegExp(`\\b${this.#at.owner}(?=[:/])`, "gi"), "OWNER")
      .replaceAll(/\b[0-9a-f]{40}\b/g, "SHA")
      .replaceAll(/#\d+/g, "#N");
  }

  /** Deletes everything; closes pull requests, which GitHub never deletes. Answers what is left, with why. */
  removeAll(): Promise<string[]> {
    return this.#belongings.removeAll(this.#github, this.#at);
  }

  /** Begins the name of every branch and ruleset. */
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
