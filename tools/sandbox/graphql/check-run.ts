import { appOf, type Caller } from "../auth/authorize.ts";
import { nodeId } from "../rest/urls.ts";
import type { App } from "../world/account.ts";
import type { CheckConclusion, CheckStatus } from "../world/checks/check.ts";
import { type CheckRunFields, createRun, ensureSuite, newRun, updateRun } from "../world/checks/checks.ts";
import type { World } from "../world/world.ts";
import {
  findNode,
  GraphqlRefusal,
  repositoryByNodeId,
  requirePermission,
  requireWritable,
} from "./find-node.ts";

interface CheckRunInput {
  repositoryId: string;
  status?: Uppercase<CheckStatus>;
  conclusion?: Uppercase<CheckConclusion>;
  startedAt?: string;
  completedAt?: string;
  detailsUrl?: string;
  externalId?: string;
  output?: {
    title: string;
    summary: string;
    text?: string;
    annotations?: readonly {
      path: string;
      location: { startLine: number; endLine: number };
      annotationLevel: string;
      message: string;
    }[];
  };
}

interface CreateCheckRunInput extends CheckRunInput {
  name: string;
  headSha: string;
}

interface UpdateCheckRunInput extends CheckRunInput {
  checkRunId: string;
  name?: string;
}

const maxSummary = 65_535;

/** https://docs.github.com/en/graphql/reference/mutations#createcheckrun */
export async function createCheckRun(world: World, caller: Caller, input: CreateCheckRunInput) {
  const app = actingApp(caller);
  const repository = repositoryByNodeId(world, caller, input.repositoryId);
  requireWritable(repository);
  if ((await repository.git.commit(input.headSha)) === null)
    throw new GraphqlRefusal("UNPROCESSABLE", `No commit found for SHA: ${input.headSha}`);
  const now = world.now();
  const fields = { ...newRun(input.name, now), ...changedFields(input, now) };
  const suite = ensureSuite(world, repository, app, input.headSha);
  return { checkRun: render(await createRun(world, repository, suite, fields)) };
}

/** https://docs.github.com/en/graphql/reference/mutations#updatecheckrun */
export async function updateCheckRun(world: World, caller: Caller, input: UpdateCheckRunInput) {
  const app = actingApp(caller);
  const repository = repositoryByNodeId(world, caller, input.repositoryId);
  requireWritable(repository);
  const { checkRunId: id, name } = input;
  const run = findNode(world, caller, id, ({ runs }) =>
    [...runs.values()].find((one) => render(one).id === id),
  );
  if (run.suite.app !== app)
    throw new GraphqlRefusal("FORBIDDEN", "Check run can only be modified by the App that created it.");
  const fields = changedFields(input, world.now());
  await updateRun(world, repository, run, { ...fields, ...(name === undefined ? {} : { name }) });
  return { checkRun: render(run) };
}

function actingApp(caller: Caller): App {
  const app = appOf(caller);
  if (app === null) throw new GraphqlRefusal("FORBIDDEN", "You must authenticate via a GitHub App.");
  requirePermission(caller, "checks");
  return app;
}

const render = ({ id }: { id: number }) => ({ id: nodeId("CheckRun", id) });

/** Returns the fields of a run that an input changes. A conclusion completes the run. */
function changedFields(input: CheckRunInput, now: Date): Partial<CheckRunFields> {
  const { status, conclusion, startedAt, completedAt, detailsUrl, externalId, output } = input;
  if (status === "COMPLETED" && conclusion === undefined)
    throw new GraphqlRefusal("UNPROCESSABLE", "A completed check run needs a conclusion.");
  if ((output?.summary.length ?? 0) > maxSummary)
    throw new GraphqlRefusal("UNPROCESSABLE", `Summary exceeds a maximum bytesize of ${maxSummary}`);
  return {
    ...(status === undefined ? {} : { status: lower(status) }),
    ...(status === "QUEUED" || status === "IN_PROGRESS" ? { conclusion: null, completedAt: null } : {}),
    ...(conclusion === undefined
      ? {}
      : { status: "completed", conclusion: lower(conclusion), completedAt: now }),
    ...(startedAt === undefined ? {} : { startedAt: new Date(startedAt) }),
    ...(completedAt === undefined ? {} : { completedAt: new Date(completedAt) }),
    ...(detailsUrl === undefined ? {} : { detailsUrl }),
    ...(externalId === undefined ? {} : { externalId }),
    ...(output === undefined ? {} : { output: outputOf(output) }),
  };
}

function outputOf({ title, summary, text = "", annotations = [] }: NonNullable<CheckRunInput["output"]>) {
  return {
    title,
    summary,
    text: text === "" ? null : text,
    annotations: annotations.map(({ path, location, annotationLevel, message }) => ({
      path,
      start_line: location.startLine,
      end_line: location.endLine,
      annotation_level: annotationLevel.toLowerCase(),
      message,
    })),
  };
}

const lower = <T extends string>(text: Uppercase<T>): T => text.toLowerCase() as T;
