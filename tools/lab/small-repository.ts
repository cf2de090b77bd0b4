import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { ApiError, type RequestOf, type TrainyardClient } from "../../src/client/client.ts";
import type { FinishingJob } from "../sandbox/ci/ci-settings.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { createOctokit } from "./demo/authors.ts";

type Octokit = ReturnType<typeof createOctokit>;

const owner = "acme";
const patienceMs = 60_000;

interface SmallRepositoryOptions {
  readonly sandbox: Sandbox;
  readonly client: TrainyardClient;
  readonly name: string;
  /** The token of an administrator. */
  readonly userToken: string;
  readonly queue: Partial<RequestOf<"createQueue">>;
  readonly ciDurationMs: readonly [number, number];
}

/** The outcome of a run, as people see it on GitHub and in the queue. */
export interface End {
  readonly pullRequests: readonly string[];
  readonly tree: string;
  /** The number of commits on main. */
  readonly commits: number;
  readonly ownBranches: readonly string[];
}

/** A repository with one queue. Its contents do not depend on its name, so that the ends of runs can be compared. */
export class SmallRepository {
  readonly #options: SmallRepositoryOptions;
  readonly #octokit: Octokit;
  readonly #at: { owner: string; repo: string };
  readonly #queue: { repo: { host: string; owner: string; name: string }; targetBranch: string };
  readonly #prs: number[] = [];
  #testsMayEnd: Promise<void> = Promise.resolve();

  private constructor(options: SmallRepositoryOptions) {
    const { sandbox, name, userToken } = options;
    this.#options = options;
    this.#octokit = createOctokit(sandbox.url, userToken);
    this.#at = { owner, repo: name };
    this.#queue = { repo: { host: sandbox.host, owner, name }, targetBranch: "main" };
  }

  static async create(options: SmallRepositoryOptions): Promise<SmallRepository> {
    const { sandbox, name, ciDurationMs, client, queue } = options;
    const repository = new SmallRepository(options);
    await sandbox.createRepository({
      ...{ owner, name, files: { "README.md": "# Widgets\n", "facts/base.json": "{}\n" } },
      ci: { durationMs: ciDurationMs, lastStep: (job) => repository.#endTest(job) },
      protection: {
        requiredChecks: ["build", "test"].map((context) => ({ context, appId: sandbox.ciAppId })),
        enforceAdmins: false,
      },
    });
    await client.createQueue({ ...repository.#queue, ...queue });
    return repository;
  }

  async open(title: string, path: string, content: string): Promise<number> {
    const { git, pulls } = this.#octokit.rest;
    const sha = await this.#commit(title, path, content);
    const head = `change-${this.#prs.length + 1}`;
    await git.createRef({ ...this.#at, ref: `refs/heads/${head}`, sha });
    const { data } = await pulls.create({ ...this.#at, base: "main", head, title });
    this.#prs.push(data.number);
    return data.number;
  }

  /** Commits a file directly to main, as an administrator may. */
  async commitToMain(path: string, content: string): Promise<void> {
    const sha = await this.#commit("Straight to main", path, content);
    await this.#octokit.rest.git.updateRef({ ...this.#at, ref: "heads/main", sha });
  }

  async comment(pr: number, body: string): Promise<void> {
    await this.#octokit.rest.issues.createComment({ ...this.#at, issue_number: pr, body });
  }

  async resume(): Promise<void> {
    await this.#options.client.updateQueue({ ...this.#queue, state: "running" });
  }

  /** From now on, no test in the queue ends before the returned function is called. */
  holdTests(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#testsMayEnd = promise;
    return resolve;
  }

  /**
   * Waits until the pull request is in one of these states, or has ended.
   *
   * @throws Error after a minute
   */
  async until(pr: number, ...states: string[]): Promise<void> {
    const awaited = [...states, "merged", "failed", "cancelled"];
    const deadline = Date.now() + patienceMs;
    for (;;) {
      const state = await this.#state(pr);
      if (awaited.includes(state)) return;
      if (Date.now() > deadline)
        throw new Error(`${this.#options.name}: #${pr} is still ${state}, not ${states.join(" or ")}`);
      await sleep(20);
    }
  }

  async end(): Promise<End> {
    const { repos } = this.#octokit.rest;
    const { data: main } = await repos.getBranch({ ...this.#at, branch: "main" });
    const commits = await repos.listCommits({ ...this.#at, sha: "main", per_page: 100 });
    const pullRequests: string[] = [];
    for (const pr of this.#prs) pullRequests.push(await this.#describe(pr));
    return {
      pullRequests,
      tree: main.commit.commit.tree.sha,
      commits: commits.data.length,
      ownBranches: await this.ownBranches(),
    };
  }

  /** The branches that the service has created and not removed. */
  async ownBranches(): Promise<readonly string[]> {
    const { git } = this.#octokit.rest;
    const { data } = await git.listMatchingRefs({ ...this.#at, ref: "heads/trainyard-" });
    return data.map(({ ref }) => ref);
  }

  async close(): Promise<void> {
    await this.#options.client.deleteQueue(this.#queue);
  }

  /** Creates a commit on top of main. Returns its SHA. */
  async #commit(message: string, path: string, content: string): Promise<string> {
    const { git } = this.#octokit.rest;
    const { data: main } = await git.getRef({ ...this.#at, ref: "heads/main" });
    const parent = main.object.sha;
    const entry = { path, content, mode: "100644", type: "blob" } as const;
    const tree = await git.createTree({ ...this.#at, base_tree: parent, tree: [entry] });
    const { data } = await git.createCommit({ ...this.#at, message, tree: tree.data.sha, parents: [parent] });
    return data.sha;
  }

  async #endTest({ branch, conclusion, closing }: FinishingJob): Promise<FinishingJob["conclusion"]> {
    if (branch.startsWith("trainyard-")) await Promise.race([this.#testsMayEnd, once(closing, "abort")]);
    return conclusion;
  }

  async #describe(pr: number): Promise<string> {
    const { pulls, issues, checks } = this.#octokit.rest;
    const { data: pull } = await pulls.get({ ...this.#at, pull_number: pr });
    const { data: comments } = await issues.listComments({ ...this.#at, issue_number: pr });
    const { data: shown } = await checks.listForRef({ ...this.#at, ref: pull.head.sha, filter: "latest" });
    // Whether a pull request was shown as queued before it left the queue depends on the time of the kill.
    const said = comments
      .filter((comment) => !("minimized" in comment) || comment.minimized === null)
      .flatMap(({ user, body }) => (user?.type === "Bot" ? [headlineOf(body ?? "")] : []));
    const ours = shown.check_runs.filter(({ app }) => app?.slug === this.#options.sandbox.app.slug);
    const check = ours.map(({ status, conclusion }) => conclusion ?? status);
    const state = await this.#state(pr);
    return `#${pr} ${state}, ${pull.merged ? "" : "not "}merged on GitHub, check ${check}, comment ${said.join(" and ")}`;
  }

  async #state(pr: number): Promise<string> {
    try {
      return (await this.#options.client.getSubmittedPullRequest({ ...this.#queue, pr: { number: pr } }))
        .state;
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return "never submitted";
      throw error;
    }
  }
}

/** The words in bold at the beginning of our comment, which state the pull request's status. Their link contains the repository's name. */
function headlineOf(body: string): string {
  return /\*\*\[?([^*\]]+)/.exec(body)?.[1] ?? body.slice(0, 80);
}
