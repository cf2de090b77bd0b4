import { type AnswerOf, createClient, type RequestOf } from "../../../src/client/client.ts";
import type { FinishingJob } from "../../../tools/sandbox/ci/ci-settings.ts";
import type { RepositoryOptions } from "../../../tools/sandbox/create-repository.ts";
import { Author } from "../author.ts";
import { eventually } from "../eventually.ts";
import { Gate } from "../gate.ts";
import type { Stage } from "../stage.ts";

type Explained = AnswerOf<"explainPullRequest">;
type Ci = NonNullable<RepositoryOptions["ci"]>;

export interface PlaceOptions {
  /** Default: `acme`. Another owner has an installation of the App of its own. */
  readonly owner?: string;
  readonly repository?: Partial<RepositoryOptions>;
  readonly ci?: Ci;
  readonly queue?: Partial<RequestOf<"createQueue">>;
}

/** A repository with a queue of its own on a stage that others share, and what its people do. */
export class Place {
  readonly stage: Stage;
  readonly at: { readonly owner: string; readonly repo: string };
  readonly queue: Stage["queue"];
  readonly gate = new Gate();
  /** How each job of CI ends. */
  job: (job: FinishingJob) => Promise<FinishingJob["conclusion"]> = async ({ conclusion }) => conclusion;
  readonly #authors = new Map<string, Author>();
  readonly #client: Stage["client"];

  private constructor(stage: Stage, at: Place["at"], client: Stage["client"]) {
    this.stage = stage;
    this.at = at;
    this.queue = { ...stage.queue, repo: { ...stage.queue.repo, owner: at.owner, name: at.repo } };
    this.#client = client;
  }

  static async open(stage: Stage, name: string, options: PlaceOptions = {}): Promise<Place> {
    const { owner = "acme", repository, ci, queue } = options;
    const token = await stage.issueToken({ organisation: owner, scopes: ["admin"] });
    const client = createClient({ baseUrl: stage.url, token, timeoutMs: 180_000 });
    const place = new Place(stage, { owner, repo: name }, client);
    await stage.sandbox.createRepository({
      ...{ owner, name, ...repository },
      ci: { pullRequests: false, durationMs: [20, 40], lastStep: (job) => place.job(job), ...ci },
      files: {
        "README.md": "#\n",
        "notes.txt": "Nothing.\n",
        "facts/base.json": "{}\n",
        ...repository?.files,
      },
    });
    const settings = { policy: "fixed", requiredStatuses: ["build", "test"] } as const;
    await place.createQueue({ ...settings, ...queue });
    return place;
  }

  get fullName(): string {
    return `${this.at.owner}/${this.at.repo}`;
  }

  octokit(login = "alice") {
    return this.stage.octokit(login);
  }

  #author(login: string): Author {
    const known = this.#authors.get(login) ?? new Author(this.octokit(login), login, this.at);
    this.#authors.set(login, known);
    return known;
  }

  /** Opens a pull request with one commit on main, or on the branch `from`. */
  async openPullRequest(
    name: string,
    files: Readonly<Record<string, string>> = { [`facts/${name}.json`]: "{}\n" },
    options: { title?: string; body?: string; base?: string; from?: string; draft?: boolean } = {},
  ): Promise<number> {
    const { title = `Add ${name}`, body = "", base = "main", from = "main", draft = false } = options;
    await this.#author("alice").createBranch(name, from, { files, message: title });
    const opened = { ...this.at, base, head: name, title, body, draft };
    return (await this.octokit().rest.pulls.create(opened)).data.number;
  }

  async push(branch: string, files: Readonly<Record<string, string>>, login = "alice"): Promise<void> {
    await this.#author(login).addCommit(branch, { files, message: `More of ${branch}` });
  }

  pushToMain(files: Readonly<Record<string, string>>): Promise<void> {
    return this.push("main", files, "admin");
  }

  async tipOf(branch: string): Promise<string> {
    return (await this.octokit().rest.git.getRef({ ...this.at, ref: `heads/${branch}` })).data.object.sha;
  }

  async createBranch(branch: string, sha?: string): Promise<void> {
    const ref = `refs/heads/${branch}`;
    await this.octokit("admin").rest.git.createRef({
      ...this.at,
      ref,
      sha: sha ?? (await this.tipOf("main")),
    });
  }

  async update(
    pr: number,
    changes: { state?: "open" | "closed"; draft?: boolean; body?: string; base?: string },
  ): Promise<void> {
    const path = "PATCH /repos/{owner}/{repo}/pulls/{pull_number}";
    await this.octokit().request(path, { ...this.at, pull_number: pr, ...changes });
  }

  async comment(pr: number, body: string, by = "alice"): Promise<void> {
    await this.octokit(by).rest.issues.createComment({ ...this.at, issue_number: pr, body });
  }

  /** Waits until the queue has answered by a comment. */
  async untilAnswered(pr: number): Promise<void> {
    await eventually(async () => {
      const { data } = await this.octokit().rest.issues.listComments({ ...this.at, issue_number: pr });
      return data.some(({ user }) => user?.type === "Bot") ? true : null;
    }, `an answer on #${pr} of ${this.fullName}`);
  }

  /** Returns the id of the review. Each comment starts a conversation. */
  async review(pr: number, event: "APPROVE" | "REQUEST_CHANGES" | "COMMENT", comments: string[] = []) {
    const { data } = await this.octokit("bob").rest.pulls.createReview({
      ...{ ...this.at, pull_number: pr, event, body: "As I see it." },
      comments: comments.map((body) => ({ path: "README.md", line: 1, body })),
    });
    return data.id;
  }

  /** Opens a pull request and submits it. */
  async submitted(...pull: Parameters<Place["openPullRequest"]>): Promise<number> {
    const pr = await this.openPullRequest(...pull);
    await this.submit(pr);
    return pr;
  }

  async submit(pr: number, options: Partial<RequestOf<"submitPullRequest">> = {}): Promise<void> {
    await this.#client.submitPullRequest({ ...this.queue, pr: { number: pr }, ...options });
  }

  async cancel(pr: number): Promise<void> {
    await this.#client.cancelPullRequest({ ...this.queue, pr: { number: pr } });
  }

  async configure(changes: Partial<RequestOf<"updateQueue">>): Promise<void> {
    await this.#client.updateQueue({ ...this.queue, ...changes });
  }

  async createQueue(settings: Partial<RequestOf<"createQueue">>): Promise<void> {
    await this.#client.createQueue({ ...this.queue, ...settings });
  }

  /** What an agent asks. @param queue if the repository or the branch has another name by now */
  explain(pr: number, queue = this.queue): Promise<Explained> {
    return this.#client.explainPullRequest({ ...queue, pr: { number: pr } });
  }

  /** Waits until what an agent is told fulfils the condition. */
  async untilTold(pr: number, isSo: (told: Explained) => boolean, queue = this.queue): Promise<void> {
    let told: Explained | null = null;
    await eventually(
      async () => {
        told = await this.explain(pr, queue).catch(() => null);
        return told && isSo(told) ? true : null;
      },
      () => `#${pr} of ${this.fullName}, which is ${told?.state}: ${told?.text} ${JSON.stringify(told?.why)}`,
    );
  }

  /** Waits until it is in this state. */
  until(pr: number, wanted: Explained["state"], queue = this.queue): Promise<void> {
    return this.untilTold(
      pr,
      ({ state, text }) => {
        const hasEnded = ["merged", "failed", "cancelled"].includes(state);
        if (hasEnded && state !== wanted) throw new Error(`it is ${state} instead of ${wanted}: ${text}`);
        return state === wanted;
      },
      queue,
    );
  }

  /** Waits until this cause is among those for which it waits. */
  untilWaits(pr: number, code: string): Promise<void> {
    return this.untilTold(pr, ({ why }) => why.some((link) => link.code === code));
  }

  async untilQueue(reason: string, queue = this.queue): Promise<void> {
    await eventually(async () => {
      const { stateReason } = await this.#client.getQueue(queue);
      return stateReason === reason ? true : null;
    }, `the queue of ${this.fullName} to be ${reason}`);
  }
}
