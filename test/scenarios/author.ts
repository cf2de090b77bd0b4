import type { createOctokit } from "../../tools/lab/demo/authors.ts";

type Octokit = ReturnType<typeof createOctokit>;

const widgets = { owner: "acme", repo: "widgets" };

/** A change by a user. */
export interface Change {
  readonly files: Readonly<Record<string, string>>;
  readonly message: string;
}

/**
 * Commits through GitHub's API, as its web editor does. The sandbox announces such a commit like a push. A push
 * by git starts fifteen processes; the demo and the Action's tests use it.
 */
export class Author {
  readonly #octokit: Octokit;
  readonly #at: { readonly owner: string; readonly repo: string };
  readonly #identity: { readonly name: string; readonly email: string };
  /** Their clone's state of main, which they never update. So their later pull requests are behind main. */
  #main: Promise<string> | null = null;

  constructor(octokit: Octokit, login: string, at = widgets) {
    this.#octokit = octokit;
    this.#at = at;
    this.#identity = { name: login, email: `${login}@example.com` };
  }

  /** Creates a branch with one commit on top of another branch. */
  async createBranch(name: string, from: string, change: Change): Promise<void> {
    this.#main ??= this.#tipOf("main");
    const sha = await this.#commit(await (from === "main" ? this.#main : this.#tipOf(from)), change);
    await this.#octokit.rest.git.createRef({ ...this.#at, ref: `refs/heads/${name}`, sha });
  }

  /** Adds a commit to a branch. */
  async addCommit(branch: string, change: Change): Promise<void> {
    const sha = await this.#commit(await this.#tipOf(branch), change);
    await this.#octokit.rest.git.updateRef({ ...this.#at, ref: `heads/${branch}`, sha });
  }

  async #tipOf(branch: string): Promise<string> {
    const { data } = await this.#octokit.rest.git.getRef({ ...this.#at, ref: `heads/${branch}` });
    return data.object.sha;
  }

  async #commit(parent: string, { files, message }: Change): Promise<string> {
    const { git } = this.#octokit.rest;
    const entries = Object.entries(files).map(([path, content]) => ({
      path,
      content,
      mode: "100644" as const,
      type: "blob" as const,
    }));
    const tree = await git.createTree({ ...this.#at, base_tree: parent, tree: entries });
    const content = { tree: tree.data.sha, parents: [parent], message, author: this.#identity };
    const commit = await git.createCommit({ ...this.#at, ...content });
    return commit.data.sha;
  }
}
