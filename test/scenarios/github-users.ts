import { createOctokit } from "../../tools/lab/demo/authors.ts";
import type { Sandbox } from "../../tools/sandbox/sandbox.ts";
import { Author } from "./author.ts";

export const repository = { owner: "acme", name: "widgets" };
export const at = { owner: repository.owner, repo: repository.name };

/** The users of every scenario, and their permissions. */
const roles = { alice: "write", bob: "write", carol: "read", dave: "triage", admin: "admin" } as const;

export type Octokit = ReturnType<typeof createOctokit>;

/** Creates the users in the sandbox. Returns their tokens, by login. */
export function createUsers(sandbox: Sandbox): ReadonlyMap<string, string> {
  const tokens = Object.entries(roles).map(
    ([login, permission]) => [login, sandbox.createUser({ login, permission }).token] as const,
  );
  return new Map(tokens);
}

/** What the users of a scenario do at GitHub. */
export class GitHubUsers {
  readonly sandbox: Sandbox;
  readonly #tokens: Map<string, string>;
  readonly #authors = new Map<string, Author>();

  /** @param tokens of the users, by login */
  constructor(sandbox: Sandbox, tokens: ReadonlyMap<string, string>) {
    this.sandbox = sandbox;
    this.#tokens = new Map(tokens);
  }

  /** Adds somebody who may push. A bot's login ends in `[bot]`. */
  addUser(login: string, id?: number): void {
    this.#tokens.set(
      login,
      this.sandbox.createUser({ login, permission: "write", ...(id === undefined ? {} : { id }) }).token,
    );
  }

  octokit(login: string): Octokit {
    return createOctokit(this.sandbox.url, this.#tokens.get(login) ?? "");
  }

  /** Opens a pull request with one commit on main; its own CI has finished when the promise resolves. */
  async openPullRequest(
    name: string,
    files: Record<string, string> = { [`facts/${name}.json`]: "{}\n" },
    options: {
      by?: string;
      draft?: boolean;
      base?: string;
      /** The start point of its branch. Default: main. */
      from?: string;
      title?: string;
      body?: string;
      settle?: boolean;
    } = {},
  ): Promise<number> {
    const { by = "alice", draft = false, base = "main", from = "main" } = options;
    const { title = `Add ${name}`, body = "", settle = true } = options;
    await this.#author(by).createBranch(name, from, { files, message: title });
    const { data } = await this.octokit(by).rest.pulls.create({
      ...at,
      base,
      head: name,
      title,
      body,
      draft,
    });
    if (settle) await this.sandbox.settled();
    return data.number;
  }

  async push(name: string, files: Record<string, string>, by = "alice"): Promise<void> {
    await this.#author(by).addCommit(name, { files, message: `More of ${name}` });
  }

  /** Returns the id of the comment. */
  async comment(pr: number, body: string, by = "alice"): Promise<number> {
    const { data } = await this.octokit(by).rest.issues.createComment({ ...at, issue_number: pr, body });
    return data.id;
  }

  async label(pr: number, label: string, by = "alice"): Promise<void> {
    await this.octokit(by).rest.issues.addLabels({ ...at, issue_number: pr, labels: [label] });
  }

  async unlabel(pr: number, label: string, by = "alice"): Promise<void> {
    await this.octokit(by).rest.issues.removeLabel({ ...at, issue_number: pr, name: label });
  }

  /** Enables or disables GitHub's own auto-merge. */
  async setAutoMerge(pr: number, verb: "enable" | "disable", by = "bob"): Promise<void> {
    const { node_id: pullRequestId } = await this.pull(pr);
    const field = `${verb}PullRequestAutoMerge`;
    const type = `${field[0]?.toUpperCase()}${field.slice(1)}Input`;
    const mutation = `mutation ($input: ${type}!) { ${field}(input: $input) { clientMutationId } }`;
    await this.octokit(by).graphql(mutation, { input: { pullRequestId } });
  }

  /** Returns the id of the review. Each comment starts a conversation. */
  async review(
    pr: number,
    event: "APPROVE" | "REQUEST_CHANGES" | "COMMENT",
    options: { by?: string; comments?: readonly string[] } = {},
  ): Promise<number> {
    const { by = "bob", comments = [] } = options;
    const { data } = await this.octokit(by).rest.pulls.createReview({
      ...at,
      pull_number: pr,
      event,
      body: "As I see it.",
      comments: comments.map((body) => ({ path: "README.md", line: 1, body })),
    });
    return data.id;
  }

  async dismiss(pr: number, review_id: number, by = "admin"): Promise<void> {
    const message = "On second thoughts.";
    await this.octokit(by).rest.pulls.dismissReview({ ...at, pull_number: pr, review_id, message });
  }

  /** Resolves every conversation on a pull request. */
  async resolveConversations(pr: number, by = "bob"): Promise<void> {
    const octokit = this.octokit(by);
    const query = `query ($owner: String!, $repo: String!, $pr: Int!) { repository(owner: $owner, name: $repo) {
      pullRequest(number: $pr) { reviewThreads(first: 100) { nodes { id } } } } }`;
    type Answer = { repository: { pullRequest: { reviewThreads: { nodes: { id: string }[] } } } };
    const { repository } = await octokit.graphql<Answer>(query, { ...at, pr });
    const mutation = `mutation ($input: ResolveReviewThreadInput!) { resolveReviewThread(input: $input) { clientMutationId } }`;
    for (const { id } of repository.pullRequest.reviewThreads.nodes)
      await octokit.graphql(mutation, { input: { threadId: id } });
  }

  async update(
    pr: number,
    changes: { state?: "open" | "closed"; draft?: boolean; body?: string; base?: string },
    by = "alice",
  ): Promise<void> {
    await this.octokit(by).request("PATCH /repos/{owner}/{repo}/pulls/{pull_number}", {
      ...at,
      pull_number: pr,
      ...changes,
    });
  }

  async pull(pr: number) {
    return (await this.octokit("alice").rest.pulls.get({ ...at, pull_number: pr })).data;
  }

  async branch(name: string) {
    return (await this.octokit("alice").rest.repos.getBranch({ ...at, branch: name })).data;
  }

  /** Commits straight to main, as an administrator may. */
  async pushToMain(files: Record<string, string>): Promise<void> {
    await this.#author("admin").addCommit("main", { files, message: "Straight to main" });
  }

  #author(login: string): Author {
    const known = this.#authors.get(login);
    if (known) return known;
    const author = new Author(this.octokit(login), login);
    this.#authors.set(login, author);
    return author;
  }
}
