import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "@jest/globals";
import { createLog } from "../../src/cli/log.ts";
import { startServer } from "../../src/cli/start-server.ts";
import {
  type AnswerOf,
  ApiError,
  createClient,
  type RequestOf,
  type TrainyardClient,
} from "../../src/client/client.ts";
import { queuePath } from "../../src/dashboard/queue-page.ts";
import type { Clock } from "../../src/ports/code-host/runtime.ts";
import type { TokenScope } from "../../src/ports/token-store.ts";
import { Tokens } from "../../src/service/access/tokens.ts";
import { parseSettings } from "../../src/settings/settings.ts";
import { openStore } from "../../src/store/sqlite/open-store.ts";
import { createOctokit } from "../../tools/demo/authors.ts";
import type { RepositoryOptions } from "../../tools/sandbox/create-repository.ts";
import type { Sandbox, SandboxOptions } from "../../tools/sandbox/sandbox.ts";
import { startSandbox } from "../../tools/sandbox/start-sandbox.ts";
import type { ProtectionOptions } from "../../tools/sandbox/world/rules/protection.ts";
import type { RulesetOptions } from "../../tools/sandbox/world/rules/ruleset.ts";
import { anotherDatabase } from "../postgres/postgres-database.ts";
import { Author } from "./author.ts";

const repository = { owner: "acme", name: "widgets" };
const at = { owner: "acme", repo: "widgets" };

/** The users of every scenario, and their permissions. */
const roles = { alice: "write", bob: "write", carol: "read", dave: "triage", admin: "admin" } as const;

/** How long a call may take on a busy machine. */
const timeoutMs = 180_000;

export type Octokit = ReturnType<typeof createOctokit>;
export type SubmittedPullRequest = AnswerOf<"getSubmittedPullRequest">;

export interface NewToken {
  readonly organisation: string;
  readonly scopes: readonly TokenScope[];
}

export interface StageOptions {
  readonly sandbox?: SandboxOptions;
  readonly queue?: Partial<RequestOf<"createQueue">>;
  readonly ci?: NonNullable<Parameters<Sandbox["createRepository"]>[0]["ci"]>;
  /** Null = main is not protected. */
  readonly requiredChecks?: readonly string[] | null;
  readonly rulesets?: (sandbox: Sandbox) => RulesetOptions[];
  readonly repository?: Partial<RepositoryOptions>;
  /** Further rules of main. */
  readonly rules?: ProtectionOptions;
  /** Whether the App is on the bypass list of main's protection. */
  readonly bypass?: boolean;
  readonly environment?: Readonly<Record<string, string>>;
  /** Puts a proxy between the service and GitHub. Returns the host at which the service reaches it. */
  readonly through?: (githubUrl: string) => Promise<string>;
  /** Starts the service in the given environment, outside this process. */
  readonly start?: (environment: Readonly<Record<string, string>>) => Promise<RunningService>;
  /** Default: see {@link database}. */
  readonly databaseUrl?: string;
  /** Needs a file, because the test looks into it or copies it. */
  readonly needsFile?: boolean;
  /** The service's clock. Default: the machine's. */
  readonly clock?: Clock;
}

export interface RunningService {
  readonly url: string;
  close(): Promise<void>;
}

/** The kind of database of every stage that names none. `npm run test:postgres` plays all scenarios on PostgreSQL. */
const database = process.env.TRAINYARD_TEST_DATABASE === "postgres" ? "postgres" : "sqlite";

type StartServer = (environment: Readonly<Record<string, string>>) => Promise<RunningService>;

/** The whole product on a local GitHub, with users. Its methods are the steps of a scenario. */
export class Stage {
  readonly sandbox: Sandbox;
  client: TrainyardClient;
  url: string;
  readonly token: string;
  readonly queue: { repo: { host: string; owner: string; name: string }; targetBranch: string };
  readonly databaseUrl: string;
  readonly #tokens: ReadonlyMap<string, string>;
  readonly #authors = new Map<string, Author>();
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
    this.sandbox = parts.sandbox;
    this.url = parts.server.url;
    this.token = parts.token;
    this.client = createClient({ baseUrl: this.url, token: this.token, timeoutMs });
    this.queue = { repo: { host: parts.host, ...repository }, targetBranch: "main" };
    this.databaseUrl = parts.databaseUrl;
    this.#directory = parts.directory;
    this.#server = parts.server;
    this.#startServer = parts.startServer;
    this.#tokens = parts.tokens;
  }

  static async open(options: StageOptions = {}): Promise<Stage> {
    const directory = await mkdtemp(join(tmpdir(), "trainyard-stage-"));
    const sandbox = await startSandbox(options.sandbox);
    const checks = options.requiredChecks === undefined ? ["build", "test"] : options.requiredChecks;
    const tokens = new Map(
      Object.entries(roles).map(([login, permission]) => [
        login,
        sandbox.createUser({ login, permission }).token,
      ]),
    );
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
    const file = `sqlite:${join(directory, "trainyard.db")}`;
    const isOnFile = options.needsFile === true || database === "sqlite";
    const databaseUrl = options.databaseUrl ?? (isOnFile ? file : await anotherDatabase());
    const host = (await options.through?.(sandbox.url)) ?? sandbox.host;
    const environment = { ...environmentOn(sandbox, databaseUrl), GHE_HOST: host, ...options.environment };
    const start = options.start ?? ((variables) => startHere(variables, options.clock));
    const startServer: StartServer = (changes) => start({ ...environment, ...changes });
    const server = await startServer({});
    const token = await issueToken(databaseUrl, { organisation: "acme", scopes: ["admin"] });
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

  /** Waits for our reaction to a comment. */
  async untilReacted(comment_id: number): Promise<string> {
    return eventually(async () => {
      const { data } = await this.octokit("alice").rest.reactions.listForIssueComment({ ...at, comment_id });
      return data.find(({ user }) => user?.type === "Bot")?.content ?? null;
    }, `a reaction to comment ${comment_id}`);
  }

  async label(pr: number, label: string, by = "alice"): Promise<void> {
    await this.octokit(by).rest.issues.addLabels({ ...at, issue_number: pr, labels: [label] });
  }

  async unlabel(pr: number, label: string, by = "alice"): Promise<void> {
    await this.octokit(by).rest.issues.removeLabel({ ...at, issue_number: pr, name: label });
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

  /** The bodies of our comments on a pull request. */
  async ourComments(pr: number): Promise<string[]> {
    const { data } = await this.octokit("alice").rest.issues.listComments({ ...at, issue_number: pr });
    return data.filter(({ user }) => user?.type === "Bot").map(({ body }) => body ?? "");
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
      const [check] = await this.ourChecks(sha);
      return check?.conclusion === conclusion ? check : null;
    }, `our check on ${sha} to be a ${conclusion}`);
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

/** Asks repeatedly until there is an answer that is not null: often at first, ten times a second later. */
export async function eventually<T>(
  ask: () => Promise<T | null>,
  what: string | (() => string),
  ms = 180_000,
): Promise<T> {
  const deadline = Date.now() + ms;
  for (let pauseMs = 20; ; pauseMs = Math.min(pauseMs * 1.2, 100)) {
    const answer = await ask();
    if (answer !== null) return answer;
    if (Date.now() > deadline)
      throw new Error(`waited ${ms} ms in vain for ${typeof what === "string" ? what : what()}`);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

function environmentOn(sandbox: Sandbox, databaseUrl: string): Record<string, string> {
  return {
    ...sandbox.env,
    HOST: "127.0.0.1",
    PORT: "0",
    DATABASE_URL: databaseUrl,
    LOG_LEVEL: "silent",
    TRAINYARD_DASHBOARD: "public",
    TRAINYARD_RECONCILE_MS: "60000",
    TRAINYARD_RATE_LIMIT: "0",
    TRAINYARD_PUBLISH_MS: "60",
    TRAINYARD_MERGEABILITY_MS: "30",
    TRAINYARD_LEASE_MS: "2000",
  };
}

async function startHere(
  environment: Readonly<Record<string, string>>,
  clock: Clock | undefined,
): Promise<RunningService> {
  const parsed = parseSettings(environment);
  if ("issues" in parsed) throw new Error(JSON.stringify(parsed.issues));
  const { settings } = parsed;
  if (!settings.app) throw new Error("the sandbox gave no credentials");
  return startServer(settings, settings.app, createLog(settings), clock);
}

async function issueToken(databaseUrl: string, { organisation, scopes }: NewToken): Promise<string> {
  const store = await openStore(databaseUrl);
  const tokens = new Tokens(store.tokens, { now: () => Date.now() });
  const { token } = await tokens.create({ organisation, name: "tests", scopes, expiresAt: null });
  await store.close();
  return token;
}
