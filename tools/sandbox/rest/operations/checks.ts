import { appOf } from "../../auth/caller.ts";
import { shuffle } from "../../seeded-draw.ts";
import type { App } from "../../world/account.ts";
import { type CheckRun, type CheckSuite, latestRuns } from "../../world/checks/check.ts";
import { type CheckRunFields, createRun, ensureSuite, newRun, updateRun } from "../../world/checks/checks.ts";
import type { BodyOf, Call, Handlers } from "../operation.ts";
import { paginate } from "../paginate.ts";
import { notFound, Refusal, validationFailed } from "../refusal.ts";
import { renderAnnotation, renderCheckRun, renderSuite } from "../render/check.ts";
import { commitOrRefuse } from "../resolve-commit.ts";

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

export const checkOperations: Handlers<CheckOperation> = {
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
};
