import { accountOf, appOf } from "../../auth/authorize.ts";
import { shuffle } from "../../seeded-draw.ts";
import type { App } from "../../world/account.ts";
import { type CheckRun, type CheckSuite, type CommitStatus, latestRuns } from "../../world/checks/check.ts";
import {
  type CheckRunFields,
  createRun,
  createStatus,
  ensureSuite,
  newRun,
  updateRun,
} from "../../world/checks/checks.ts";
import type { Repository } from "../../world/repository.ts";
import { answerPage, commitOrRefuse, paginate } from "../lookups.ts";
import type { BodyOf, Call, Handlers, Schema } from "../operation.ts";

import { notFound, Refusal, validationFailed } from "../refusal.ts";
import { renderAccount } from "../render/account.ts";
import { renderAnnotation, renderCheckRun, renderSuite } from "../render/check.ts";
import { renderRepository } from "../render/repository.ts";
import { isoTime, nodeId, type Urls } from "../urls.ts";

type CheckOperation =
  | "checks/create"
  | "checks/get"
  | "checks/update"
  | "checks/list-annotations"
  | "checks/list-for-ref"
  | "checks/list-suites-for-ref"
  | "checks/get-suite"
  | "checks/rerequest-run"
  | "checks/rerequest-suite";

function runOrRefuse({
  repository,
  path,
}: Call<"checks/get" | "checks/list-annotations" | "checks/rerequest-run" | "checks/update">): CheckRun {
  const run = repository.runs.get(Number(path.check_run_id));
  if (run === undefined) throw notFound();
  return run;
}

function suiteOrRefuse({
  repository,
  path,
}: Call<"checks/get-suite" | "checks/rerequest-suite">): CheckSuite {
  const suite = repository.suitesById.get(path.check_suite_id);
  if (suite === undefined) throw notFound();
  return suite;
}

function actingApp<Id extends CheckOperation>({ caller }: Call<Id>): App {
  const app = appOf(caller);
  if (app === null) throw new Refusal(403, "You must authenticate via a GitHub App.");
  return app;
}

/** Returns the fields of a run that a request changes. A conclusion completes the run. */
function changedFields(
  body: BodyOf<"checks/create"> | BodyOf<"checks/update">,
  now: Date,
): Partial<CheckRunFields> {
  const fields: Partial<CheckRunFields> = {};
  if (body.status === "completed" && body.conclusion === undefined) {
    throw validationFailed({ resource: "CheckRun", field: "conclusion", code: "missing_field" });
  }
  if (body.status !== undefined) fields.status = body.status;
  if (body.status === "queued" || body.status === "in_progress") {
    fields.conclusion = null;
    fields.completedAt = null;
  }
  if (body.conclusion !== undefined) {
    fields.status = "completed";
    fields.conclusion = body.conclusion;
    fields.completedAt = now;
  }
  if (body.started_at !== undefined) fields.startedAt = new Date(body.started_at);
  if (body.completed_at !== undefined) fields.completedAt = new Date(body.completed_at);
  if (body.details_url !== undefined) fields.detailsUrl = body.details_url;
  if (body.external_id !== undefined) fields.externalId = body.external_id;
  if (body.output !== undefined) {
    const { title = null, summary, text = null, annotations = [] } = body.output;
    fields.output = { title, summary, text, annotations };
  }
  return fields;
}

export const checkOperations = {
  "checks/create": async (call) => {
    const { world, urls, body, repository } = call;
    const { sha } = await commitOrRefuse(repository, body.head_sha);
    const now = world.now();
    const run = await createRun(world, repository, ensureSuite(world, repository, actingApp(call), sha), {
      ...newRun(body.name, now),
      ...changedFields(body, now),
    });
    const rendered = renderCheckRun(urls, repository, run);
    return { status: 201, body: rendered, headers: { location: rendered.url } };
  },

  "checks/get": (call) => ({
    status: 200,
    body: renderCheckRun(call.urls, call.repository, runOrRefuse(call)),
  }),

  "checks/update": async (call) => {
    const { world, urls, body, repository } = call;
    const run = runOrRefuse(call);
    const app = actingApp(call);
    if (run.suite.app !== app) {
      const owner = `check run can only be modified by the GitHub App that created it.`;
      throw new Refusal(403, `Invalid app_id \`${app.id}\` - ${owner}`);
    }
    const fields = changedFields(body, world.now());
    await updateRun(world, repository, run, {
      ...fields,
      ...(body.name === undefined ? {} : { name: body.name }),
    });
    return { status: 200, body: renderCheckRun(urls, repository, run) };
  },

  "checks/list-annotations": (call) => {
    const run = runOrRefuse(call);
    const { page, headers } = paginate(call, run.output.annotations);
    return {
      status: 200,
      body: page.map((annotation) => renderAnnotation(call.urls, call.repository, run, annotation)),
      headers,
    };
  },

  "checks/list-for-ref": async (call) => {
    const { world, urls, path, query, repository } = call;
    const { sha } = await commitOrRefuse(repository, path.ref);
    const found = repository
      .suitesOf(sha)
      .filter(({ app }) => query.app_id === undefined || app.id === query.app_id)
      .flatMap((suite) => (query.filter === "all" ? suite.runs : latestRuns(suite)))
      .filter(({ name }) => query.check_name === undefined || name === query.check_name)
      .filter(({ status }) => query.status === undefined || status === query.status);
    const runs = shuffle(world.seed, found, ({ id }) => id);
    const { page, headers } = paginate(call, runs);
    const check_runs = page.map((run) => renderCheckRun(urls, repository, run));
    return { status: 200, body: { total_count: runs.length, check_runs }, headers };
  },

  "checks/list-suites-for-ref": async (call) => {
    const { world, urls, path, query, repository } = call;
    const { sha } = await commitOrRefuse(repository, path.ref);
    const found = repository
      .suitesOf(sha)
      .filter(({ app }) => query.app_id === undefined || app.id === query.app_id)
      .filter(
        ({ runs }) => query.check_name === undefined || runs.some(({ name }) => name === query.check_name),
      );
    const suites = shuffle(world.seed, found, ({ id }) => id);
    const { page, headers } = paginate(call, suites);
    const check_suites = await Promise.all(page.map((suite) => renderSuite(urls, repository, suite)));
    return { status: 200, body: { total_count: suites.length, check_suites }, headers };
  },

  "checks/get-suite": async (call) => ({
    status: 200,
    body: await renderSuite(call.urls, call.repository, suiteOrRefuse(call)),
  }),

  "checks/rerequest-run": async (call) => {
    const { world, caller, repository } = call;
    const run = runOrRefuse(call);
    if (run.status !== "completed") throw new Refusal(422, "This check run is not rerequestable");
    const sender = caller.kind === "user" ? caller.account : actingApp(call).bot;
    await world.emit({ type: "check_run", repository, sender, run, action: "rerequested" });
    return { status: 201, body: {} };
  },

  "checks/rerequest-suite": async (call) => {
    const { world, caller, repository } = call;
    const suite = suiteOrRefuse(call);
    const sender = caller.kind === "user" ? caller.account : actingApp(call).bot;
    await world.emit({ type: "check_suite", repository, sender, suite, action: "rerequested" });
    return { status: 201, body: {} };
  },
} satisfies Handlers;

const MAX_DESCRIPTION = 140;
const MAX_PER_CONTEXT = 1000;

const latestByContext = (repository: Repository, sha: string): CommitStatus[] => [
  ...new Map(repository.statusesOf(sha).map((status) => [status.context, status])).values(),
];

/** A commit without any status counts as pending. */
function combinedState(statuses: readonly CommitStatus[]): "success" | "failure" | "pending" {
  if (statuses.some(({ state }) => state === "failure" || state === "error")) return "failure";
  return statuses.length > 0 && statuses.every(({ state }) => state === "success") ? "success" : "pending";
}

export const statusOperations = {
  "repos/create-commit-status": async ({ world, urls, caller, path, body, repository }) => {
    const { sha } = await commitOrRefuse(repository, path.sha);
    const context = body.context ?? "default";
    if ((body.description?.length ?? 0) > MAX_DESCRIPTION) {
      const message = `description is too long (maximum is ${MAX_DESCRIPTION} characters)`;
      throw validationFailed({ resource: "Status", field: "description", code: "custom", message });
    }
    if (repository.statusesOf(sha).filter((one) => one.context === context).length >= MAX_PER_CONTEXT) {
      throw new Refusal(422, "This SHA and context has reached the maximum number of statuses.");
    }
    const status = await createStatus(world, repository, {
      sha,
      context,
      state: body.state,
      description: body.description ?? null,
      targetUrl: body.target_url ?? null,
      creator: accountOf(caller),
      app: appOf(caller),
    });
    return { status: 201, body: renderStatus(urls, repository, status) };
  },

  "repos/get-combined-status-for-ref": async (call) => {
    const { world, urls, path, repository } = call;
    const { sha } = await commitOrRefuse(repository, path.ref);
    const statuses = shuffle(world.seed, latestByContext(repository, sha), ({ context }) => context);
    const { page, headers } = paginate(call, statuses);
    const url = urls.repository(repository);
    return {
      status: 200,
      headers,
      body: {
        state: combinedState(statuses),
        statuses: page.map((status) => renderSimpleStatus(urls, repository, status)),
        sha,
        total_count: statuses.length,
        repository: renderRepository(urls, repository),
        commit_url: `${url}/commits/${sha}`,
        url: `${url}/commits/${sha}/status`,
      },
    };
  },

  "repos/list-commit-statuses-for-ref": async (call) => {
    const { urls, path, repository } = call;
    const { sha } = await commitOrRefuse(repository, path.ref);
    return answerPage(call, [...repository.statusesOf(sha)].reverse(), (status) =>
      renderStatus(urls, repository, status),
    );
  },
} satisfies Handlers;

/** Renders a status as the combined status lists it. */
function renderSimpleStatus(urls: Urls, repository: Repository, status: CommitStatus) {
  return {
    url: `${urls.repository(repository)}/statuses/${status.sha}`,
    avatar_url: `${urls.base}/avatars/u/${status.creator.id}`,
    id: status.id,
    node_id: nodeId("StatusContext", status.id),
    state: status.state,
    description: status.description,
    target_url: status.targetUrl,
    context: status.context,
    created_at: isoTime(status.createdAt),
    updated_at: isoTime(status.createdAt),
  } satisfies Schema<"simple-commit-status">;
}

function renderStatus(urls: Urls, repository: Repository, status: CommitStatus) {
  return { ...renderSimpleStatus(urls, repository, status), creator: renderAccount(urls, status.creator) };
}
