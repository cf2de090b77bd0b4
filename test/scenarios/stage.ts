import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "@jest/globals";
import { freePort } from "../../src/cli/free-port.ts";
import { type AnswerOf, ApiError, createClient, type TrainyardClient } from "../../src/client/client.ts";
import { queuePath } from "../../src/dashboard/paths.ts";
import type { Sandbox } from "../../tools/sandbox/sandbox.ts";
import { startSandbox } from "../../tools/sandbox/start-sandbox.ts";
import { parsePrometheus } from "../api/prometheus.ts";
import { anotherDatabase } from "../postgres/postgres-database.ts";
import { eventually } from "./eventually.ts";
import { at, createUsers, GitHubUsers, repository } from "./github-users.ts";
import { issueAdmin, writeDatabase } from "./stage-database.ts";
import type { StageOptions } from "./stage-options.ts";
import { environmentOn, issueToken, type NewToken, type RunningService, startHere } from "./stage-service.ts";

/** How long a call may take on a busy machine. */
const timeoutMs = 180_000;

export type SubmittedPullRequest = AnswerOf<"getSubmittedPullRequest">;

/** The kind of database of every stage that names none. `npm run test:postgres` plays all scenarios on PostgreSQL. */
const database = process.env.TRAINYARD_TEST_DATABASE === "postgres" ? "postgres" : "sqlite";

type StartServer = (environment: Readonly<Record<string, string>>) => Promise<RunningService>;

/** The whole product on a local GitHub, with users. Its methods are the steps of a scenario. */
export class Stage extends GitHubUsers {
  client: TrainyardClient;
  url: string;
  readonly token: string;
  readonly queue: { repo: { host: string; owner: string; name: string }; targetBranch: string };
  readonly databaseUrl: string;
  readonly #directory: string;
  readonly #startServer: StartServer;
  #server: RunningService | null;

  private constructor(parts: {
    sandbox: Sandbox;
    host: string;
    directory: string;
    databaseUrl: string;
    token: string;
    tokens: ReadonlyMap<string, string>;
    server: RunningService;
    startServer: StartServer;
  }) {
    super(parts.sandbox, parts.tokens);
    this.url = parts.server.url;
    this.token = parts.token;
    this.client = createClient({ baseUrl: this.url, token: this.token, timeoutMs });
    this.queue = { repo: { host: parts.host, ...repository }, targetBranch: "main" };
    this.databaseUrl = parts.databaseUrl;
    this.#directory = parts.directory;
    this.#server = parts.server;
    this.#startServer = parts.startServer;
  }

  static async open(options: StageOptions = {}): Promise<Stage> {
    const directory = await mkdtemp(join(tmpdir(), "trainyard-stage-"));
    const sandbox = await startSandbox(options.sandbox);
    const tokens = createUsers(sandbox);
    await createRepository(sandbox, options);
    const file = join(directory, "trainyard.db");
    const isOnFile = options.needsFile === true || database === "sqlite";
    const databaseUrl = options.databaseUrl ?? (isOnFile ? `sqlite:${file}` : await anotherDatabase());
    const written = databaseUrl === `sqlite:${file}` ? await writeDatabase(file) : null;
    const host = (await options.through?.(sandbox.url)) ?? sandbox.host;
    const needed = { ...environmentOn(sandbox, databaseUrl), GHE_HOST: host };
    // Nothing else takes the port while the service is stopped.
    const own = options.start ? {} : { PORT: String(await freePort()) };
    const environment = { ...needed, ...own, ...options.environment };
    const start = options.start ?? ((variables) => startHere(variables, options.clock));
    const startServer: StartServer = (changes) => start({ ...environment, ...changes });
    const server = await startServer({});
    const token = written ?? (await issueAdmin(databaseUrl));
    sandbox.setWebhookUrl(`${server.url}/api/github/webhooks`);
    const parts = { sandbox, host, directory, databaseUrl, token, tokens, server, startServer };
    const stage = new Stage(parts);
    if (options.queue) await stage.client.createQueue({ ...stage.queue, ...options.queue });
    return stage;
  }

  async close(): Promise<void> {
    await this.#server?.close();
    await this.sandbox.settled();
    const { violations } = this.sandbox;
    await this.sandbox.close();
    await rm(this.#directory, { recursive: true, force: true });
    expect(violations).toEqual([]);
  }

  /** Directs users and GitHub to another service, which closing the stage ends. */
  moveTo(server: RunningService): void {
    this.#server = server;
    this.url = server.url;
    this.client = createClient({ baseUrl: this.url, token: this.token, timeoutMs });
    this.sandbox.setWebhookUrl(`${this.url}/api/github/webhooks`);
  }

  /** Ends the service. Webhooks are lost until it is started again. */
  async stopService(): Promise<void> {
    await this.#server?.close();
    this.#server = null;
  }

  /** Starts the service again at the same address and on the same database. */
  async startService(environment: Readonly<Record<string, string>> = {}): Promise<void> {
    this.#server = await this.#startServer({ PORT: new URL(this.url).port, ...environment });
  }

  /** The queue's page on the dashboard. */
  get pageUrl(): string {
    const { repo, targetBranch } = this.queue;
    return this.url + queuePath({ repo, branch: targetBranch });
  }

  /** One more API token. */
  issueToken(token: NewToken): Promise<string> {
    return issueToken(this.databaseUrl, token);
  }

  /** The value of a metric. */
  async metric(wanted: string, labels: Readonly<Record<string, string>>): Promise<number | undefined> {
    const headers = { "x-api-token": this.token };
    const response = await fetch(`${this.url}/v1/getMergeQueueMetrics`, { headers });
    return parsePrometheus(await response.text()).find(
      (one) =>
        one.name === wanted && Object.entries(labels).every(([key, value]) => one.labels[key] === value),
    )?.value;
  }

  /** Waits until the service has handled every webhook about what happened on GitHub so far. */
  async untilHandled(): Promise<void> {
    await this.sandbox.settled();
    await eventually(
      async () => (await this.metric("trainyard_inbox_depth", { organisation: "acme" })) === 0 || null,
      "the webhooks to be handled",
    );
  }

  /** Waits for our reaction to a comment. */
  async untilReacted(comment_id: number): Promise<string> {
    return eventually(async () => {
      const { data } = await this.octokit("alice").rest.reactions.listForIssueComment({ ...at, comment_id });
      return data.find(({ user }) => user?.type === "Bot")?.content ?? null;
    }, `a reaction to comment ${comment_id}`);
  }

  /** The pull request as the queue knows it; null when it was never submitted. */
  async look(pr: number): Promise<SubmittedPullRequest | null> {
    try {
      return await this.client.getSubmittedPullRequest({ ...this.queue, pr: { number: pr } });
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return null;
      throw error;
    }
  }

  /** Waits until the pull request is in one of these states, and fails when it ends in another. */
  async until(pr: number, ...states: SubmittedPullRequest["state"][]): Promise<SubmittedPullRequest> {
    let entry: SubmittedPullRequest | null = null;
    return eventually(
      async () => {
        entry = await this.look(pr);
        if (entry && states.includes(entry.state)) return entry;
        if (entry && ["merged", "failed"].includes(entry.state)) {
          throw new Error(`#${pr} ended ${entry.state} (${entry.reason}) instead of ${states.join(" or ")}`);
        }
        return null;
      },
      () => `#${pr} to be ${states.join(" or ")}: ${entry?.state}, ${JSON.stringify(entry?.why)}`,
    );
  }

  /** The bodies of our comments on a pull request that are not hidden as outdated. */
  async ourComments(pr: number): Promise<string[]> {
    const { data } = await this.octokit("alice").rest.issues.listComments({ ...at, issue_number: pr });
    const shown = data.filter((comment) => !("minimized" in comment) || comment.minimized === null);
    return shown.filter(({ user }) => user?.type === "Bot").map(({ body }) => body ?? "");
  }

  /** Waits until our only comment matches `text`. */
  async untilCommented(pr: number, text: RegExp): Promise<string> {
    return eventually(async () => {
      const comments = await this.ourComments(pr);
      return comments.length === 1 && text.test(comments[0] ?? "") ? (comments[0] ?? "") : null;
    }, `a comment on #${pr} like ${text}`);
  }

  /** Our check runs on a commit. */
  async ourChecks(sha: string) {
    const { data } = await this.octokit("alice").rest.checks.listForRef({ ...at, ref: sha, filter: "all" });
    return data.check_runs.filter(({ app }) => app?.slug === this.sandbox.app.slug);
  }

  /** Waits until our check run on a commit has the conclusion. It is written after the comment. */
  async untilChecked(sha: string, conclusion: string) {
    return eventually(async () => {
      // GitHub shows the latest one, if a slow call was repeated and both were carried out.
      const check = (await this.ourChecks(sha)).findLast(({ name }) => name !== "Trainyard configuration");
      return check?.conclusion === conclusion ? check : null;
    }, `our check on ${sha} to be a ${conclusion}`);
  }
}

async function createRepository(sandbox: Sandbox, options: StageOptions): Promise<void> {
  const checks = options.requiredChecks === undefined ? ["build", "test"] : options.requiredChecks;
  await sandbox.createRepository({
    ...repository,
    files: { "README.md": "# Widgets\n", "notes.txt": "Nothing.\n", "facts/base.json": "{}\n" },
    ci: { durationMs: [60, 160], ...options.ci },
    ...(options.rulesets ? { rulesets: options.rulesets(sandbox) } : {}),
    ...(checks === null
      ? {}
      : {
          protection: {
            requiredChecks: checks.map((context) => ({ context, appId: sandbox.ciAppId })),
            enforceAdmins: false,
            ...options.rules,
            bypass: options.bypass ? [sandbox.app.slug] : [],
          },
        }),
    ...options.repository,
  });
}
