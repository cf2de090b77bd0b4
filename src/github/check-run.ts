import type { Octokit } from "@octokit/rest";
import type { CheckAnnotation, CheckRunContent } from "../ports/code-host.ts";
import type { Repository } from "./branches.ts";
import { statusOf } from "./code-host-error.ts";

/** Longest summary that GitHub takes. */
const maxSummary = 65_535;

export async function putCheckRun(
  octokit: Octokit,
  at: Repository,
  id: number | null,
  content: CheckRunContent,
  mayExist: boolean,
): Promise<number> {
  // GitHub shows the latest of several.
  const known = (mayExist ? await findCheckRun(octokit, at, content) : null) ?? id;
  const body = {
    ...at,
    name: content.name,
    external_id: content.externalId,
    ...(content.detailsUrl === null ? {} : { details_url: content.detailsUrl }),
    ...(content.conclusion === null
      ? { status: content.status }
      : { status: "completed" as const, conclusion: content.conclusion }),
    output: {
      title: content.title,
      summary: content.summary.slice(0, maxSummary),
      ...(content.annotations === undefined ? {} : { annotations: content.annotations.map(annotation) }),
    },
  };
  if (known !== null) {
    try {
      return (await octokit.rest.checks.update({ ...body, check_run_id: known })).data.id;
    } catch (error) {
      if (statusOf(error) !== 404) throw error;
      // A check run can vanish with its commit, and is made again. One that can be seen has not vanished.
      if ((await findCheckRun(octokit, at, content)) === known) throw error;
    }
  }
  return (await octokit.rest.checks.create({ ...body, head_sha: content.headSha })).data.id;
}

function annotation({ path, line, message }: CheckAnnotation) {
  return { path, start_line: line, end_line: line, annotation_level: "failure" as const, message };
}

async function findCheckRun(
  octokit: Octokit,
  at: Repository,
  content: CheckRunContent,
): Promise<number | null> {
  const { data } = await octokit.rest.checks.listForRef({
    ...at,
    ref: content.headSha,
    check_name: content.name,
  });
  const own = data.check_runs.filter((run) => run.external_id === content.externalId);
  return own.length === 0 ? null : Math.max(...own.map((run) => run.id));
}
