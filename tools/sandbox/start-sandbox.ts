import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { appKey } from "./auth/app-key.ts";
import { Authenticator } from "./auth/authenticator.ts";
import { Background } from "./background.ts";
import { createCiSettings } from "./ci/ci-settings.ts";
import { ContinuousIntegration } from "./ci/continuous-integration.ts";
import { greenTrees } from "./ci/green-trees.ts";
import { judgeTree } from "./ci/judge-tree.ts";
import { Reporters } from "./ci/reporters.ts";
import { createRepository } from "./create-repository.ts";
import { Faults } from "./faults/faults.ts";
import { GitHttp, parseGitRequest } from "./git-http/git-http.ts";
import { GraphqlApi, isGraphqlPath } from "./graphql/graphql-api.ts";
import { historyOf } from "./history-of.ts";
import { startHttpServer } from "./http-server.ts";
import { CallLimits } from "./limits/call-limits.ts";
import { LoopDelay } from "./limits/loop-delay.ts";
import { Pages } from "./pages/pages.ts";
import { RequestLog } from "./request-log.ts";
import { resolveCommit } from "./rest/resolve-commit.ts";
import { RestApi } from "./rest/rest-api.ts";
import { Urls } from "./rest/urls.ts";
import type { Sandbox, SandboxOptions } from "./sandbox.ts";
import type { Violation } from "./violation.ts";
import { announceTo } from "./webhooks/announce.ts";
import { Hook } from "./webhooks/hook.ts";
import { readAppManifest } from "./world/app-permissions.ts";
import { summarizeSuite } from "./world/checks/check.ts";
import { createStatus } from "./world/checks/checks.ts";
import { acceptPermissions, install, installOn, select, suspend, uninstall } from "./world/installations.ts";
import { Past } from "./world/past.ts";
import { watchAutoMerges } from "./world/pulls/auto-merge.ts";
import { createStack, dissolveStack } from "./world/pulls/stack.ts";
import { registerApp, registerCiApp } from "./world/register-app.ts";
import type { Repository } from "./world/repository.ts";
import {
  deleteRepository,
  renameBranch,
  renameRepository,
  setArchived,
  transferRepository,
} from "./world/repository-life.ts";
import { createProtection } from "./world/rules/protection.ts";
import { createRuleset } from "./world/rules/ruleset.ts";
import { type Delays, World } from "./world/world.ts";

const DEFAULT_DELAYS: Delays = { mergeability: 20, indirectMerge: 30, asyncMerge: 40 };
const DEFAULT_MANIFEST = fileURLToPath(new URL("../../app.yml", import.meta.url));

/** Starts a sandbox. Rejects if the port is taken or the manifest is unreadable. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { seed = 1, webhooks = {}, appManifest = DEFAULT_MANIFEST } = options;
  const enterprise = options.enterpriseVersion ?? null;
  const callsPerHour = options.callsPerHour ?? 1_000_000;
  const violations: Violation[] = [];
  const report = (violation: Violation) => {
    violations.push(violation);
  };
  const reportFailure = (error: unknown) => {
    const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
    report({ kind: "background", subject: "background", detail });
  };
  const background = new Background(reportFailure);
  const world = new World(seed, background, { ...DEFAULT_DELAYS, ...options.delays });
  const key = await appKey();
  const app = registerApp(world, readAppManifest(appManifest));
  const ciApp = registerCiApp(world);
  const authenticator = new Authenticator(app, key, () => world.now());
  const log = new RequestLog();
  const faults = new Faults(seed, options.faults);
  const loopDelay = new LoopDelay();
  const limits = new CallLimits(options.contentLimits ?? null, report, () => loopDelay.longestMs);
  const past = new Past(world);
  const webhookSecret = randomBytes(20).toString("hex");

  let surface: { rest: RestApi; graphql: GraphqlApi; git: GitHttp; pages: Pages } | undefined;
  const server = await startHttpServer(
    options.port ?? 0,
    async (request, response) => {
      const served = surface;
      if (served === undefined) return void response.writeHead(503).end();
      const url = new URL(request.url ?? "/", "http://sandbox");
      const gitRequest = parseGitRequest(request.method ?? "GET", url);
      if (gitRequest !== null) return background.hold(() => served.git.serve(request, response, gitRequest));
      if (isGraphqlPath(url.pathname)) return background.hold(() => served.graphql.serve(request, response));
      const page = served.pages.parse(request.method ?? "GET", url.pathname);
      if (page !== null) return background.hold(() => served.pages.serve(request, response, page));
      const pathname = url.pathname.replace(/^\/api\/v3(?=\/|$)/, "") || "/";
      await background.hold(() => served.rest.serve(request, response, pathname, url.search));
    },
    reportFailure,
  );

  const directory = options.directory ?? (await mkdtemp(join(tmpdir(), "trainyard-sandbox-")));
  const host = `127.0.0.1:${server.port}`;
  const urls = new Urls(`http://${host}`);
  const nextId = () => world.nextId();
  const now = () => world.now();
  const hook = new Hook({
    app,
    secret: webhookSecret,
    host,
    enterprise,
    seed,
    faults: webhooks,
    background,
    nextId,
    now,
  });
  hook.url = options.webhookUrl ?? null;
  const git = new GitHttp({ world, urls, authenticator, log });
  surface = {
    git,
    rest: new RestApi({
      world,
      urls,
      authenticator,
      hook,
      faults,
      limits,
      past,
      log,
      report,
      enterprise,
      callsPerHour,
    }),
    pages: new Pages(world, server.port),
    graphql: new GraphqlApi({ world, urls, authenticator, faults, limits, past, log, report, enterprise }),
  };
  world.subscribe(announceTo({ world, urls, app, hook, report }));
  const ci = new ContinuousIntegration(world, ciApp, options.runners ?? Number.POSITIVE_INFINITY);
  world.subscribe((event) => ci.hear(event));
  const reporters = new Reporters(world);
  world.subscribe((event) => reporters.hear(event));
  watchAutoMerges(world);

  const repositoryOf = (fullName: string): Repository => {
    const [owner = "", name = ""] = fullName.split("/");
    const repository = world.repository(owner, name);
    if (repository === null) throw new Error(`there is no repository ${fullName}`);
    return repository;
  };

  const installationOn = (login: string) => {
    const account = world.account(login);
    const installation = account && world.installationOf(app, account);
    if (!installation) throw new Error(`the App is not installed on ${login}`);
    return installation;
  };

  return {
    url: urls.base,
    host,
    app: { id: app.id, slug: app.slug, clientId: app.clientId, privateKey: key.privateKey, webhookSecret },
    ciAppId: ciApp.id,
    env: {
      APP_ID: String(app.id),
      PRIVATE_KEY: key.privateKey,
      WEBHOOK_SECRET: webhookSecret,
      GHE_HOST: host,
      GHE_PROTOCOL: "http",
    },
    requests: log,
    delays: world.delays,
    deliveries: hook.deliveries,
    faults,
    limits,
    violations,

    createUser({ login, permission }) {
      if (world.account(login) !== null) throw new Error(`the login ${login} is taken`);
      const account = world.ensureAccount(login, "User");
      if (permission !== undefined) world.setDefaultRole(account, permission);
      return { login, id: account.id, token: authenticator.issueUserToken(account) };
    },

    async createRepository(repositoryOptions) {
      const repository = await background.hold(() => createRepository(world, directory, repositoryOptions));
      if (repositoryOptions.installed !== false) await installOn(world, app, repository);
      const { id, name, fullName } = repository;
      const owner = repository.owner.login;
      return {
        id,
        owner,
        name,
        fullName,
        gitUrl: urls.clone(repository),
        directory: repository.git.directory,
      };
    },

    setProtection(fullName, branch, protection) {
      const repository = repositoryOf(fullName);
      repository.protections = repository.protections.filter(({ pattern }) => pattern !== branch);
      if (protection !== null) repository.protections.push(createProtection(branch, protection, seed));
    },

    setRulesets(owner, rulesets) {
      const isRepository = owner.includes("/");
      const source = { type: isRepository ? "Repository" : "Organization", name: owner } as const;
      const target = isRepository ? repositoryOf(owner) : world.ensureAccount(owner, "Organization");
      target.rulesets = rulesets.map((options) => createRuleset(nextId(), source, options));
    },

    stack(fullName, numbers) {
      const { pulls } = repositoryOf(fullName);
      const stack = createStack(
        world,
        numbers.flatMap((number) => pulls.get(number) ?? []),
      );
      return { number: stack.number, dissolve: () => dissolveStack(stack) };
    },

    async reportStatus(fullName, status) {
      const reported = { ...status, description: null, targetUrl: null, creator: ciApp.bot, app: ciApp };
      await createStatus(world, repositoryOf(fullName), reported);
    },

    setCi(fullName, settings) {
      repositoryOf(fullName).ci = settings === null ? null : createCiSettings(settings);
    },

    setWebhookUrl(url) {
      hook.url = url;
    },

    updateApp(manifest, { accepted = true } = {}) {
      const { permissions, events } = readAppManifest(manifest);
      Object.assign(app, { permissions, events });
      if (accepted) for (const one of world.installations) if (one.app === app) one.permissions = permissions;
    },

    acceptPermissions: (login) => acceptPermissions(world, installationOn(login)),
    suspend: (login) => suspend(world, installationOn(login), true),
    unsuspend: (login) => suspend(world, installationOn(login), false),
    uninstall: (login) => uninstall(world, installationOn(login)),
    async install(login, selected) {
      const account = world.ensureAccount(login, "Organization");
      return (await install(world, app, account, selected?.map(repositoryOf) ?? null)).id;
    },
    select: (login, { added = [], removed = [] }) =>
      select(world, installationOn(login), added.map(repositoryOf), removed.map(repositoryOf)),

    renameRepository: (fullName, name) => renameRepository(world, repositoryOf(fullName), name),
    transferRepository: (fullName, login) =>
      transferRepository(world, repositoryOf(fullName), world.ensureAccount(login, "Organization")),
    archive: (fullName) => setArchived(world, repositoryOf(fullName), true),
    unarchive: (fullName) => setArchived(world, repositoryOf(fullName), false),
    deleteRepository: (fullName) => deleteRepository(world, repositoryOf(fullName)),
    renameBranch: (fullName, from, to) => renameBranch(world, repositoryOf(fullName), from, to),

    workflowRuns: (fullName) =>
      [...repositoryOf(fullName).workflowRuns.values()].map(({ id, event, workflow, attempt, suite }) => ({
        id,
        event,
        workflow: workflow.name,
        attempt,
        headSha: suite.headSha,
        headBranch: suite.headBranch,
        conclusion: summarizeSuite(suite).conclusion,
      })),

    historyOf: async (fullName, branch) => historyOf(repositoryOf(fullName), branch),

    ci: {
      async verdictOf(fullName, treeish) {
        const repository = repositoryOf(fullName);
        const tree = (await resolveCommit(repository, treeish))?.tree ?? treeish;
        const checks = repository.ci?.checks ?? createCiSettings({}).checks;
        const verdicts = await judgeTree(repository.git, tree, checks);
        const green = [...verdicts.values()].every(({ conclusion }) => conclusion === "success");
        return { green, checks: Object.fromEntries(verdicts) };
      },
      greenTrees: (fullName) => greenTrees(repositoryOf(fullName)),
    },

    settled: () => background.whenIdle(),

    async close() {
      loopDelay.stop();
      hook.close();
      faults.close();
      await server.close();
      await background.close();
      await Promise.all(world.everyRepository.map((repository) => repository.git.close()));
      if (options.directory === undefined) await rm(directory, { recursive: true, force: true });
    },
  };
}
