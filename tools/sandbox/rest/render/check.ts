import type { Commit } from "../../git/git-object.ts";
import { type CheckRun, type CheckSuite, latestRuns, summarizeSuite } from "../../world/checks/check.ts";
import { isFromFork } from "../../world/pulls/pull-request.ts";
import type { Repository } from "../../world/repository.ts";
import type { Schema } from "../operation.ts";
import { isoTime, isoTimeOrNull, nodeId, type Urls } from "../urls.ts";
import { renderApp } from "./account.ts";
import { renderRepository } from "./repository.ts";

/** Returns the open pull requests whose head has this SHA. GitHub leaves out those from forks. */
export function renderPulls(
  urls: Urls,
  repository: Repository,
  sha: string,
): Schema<"pull-request-minimal">[] {
  const repo = { id: repository.id, name: repository.name, url: urls.repository(repository) };
  return repository
    .openPulls((pull) => pull.head.sha === sha && !isFromFork(pull))
    .map((pull) => ({
      id: pull.id,
      number: pull.number,
      url: urls.pull(pull),
      head: { ref: pull.head.ref, sha: pull.head.sha, repo },
      base: { ...pull.base, repo },
    }));
}

export function renderCheckRun(urls: Urls, repository: Repository, run: CheckRun) {
  const url = `${urls.repository(repository)}/check-runs/${run.id}`;
  const html = `${urls.html(repository)}/runs/${run.id}`;
  const { title, summary, text, annotations } = run.output;
  return {
    id: run.id,
    node_id: nodeId("CheckRun", run.id),
    name: run.name,
    head_sha: run.suite.headSha,
    external_id: run.externalId ?? "",
    url,
    html_url: html,
    details_url: run.detailsUrl ?? html,
    status: run.status,
    // The description does not include "stale", which only GitHub itself sets.
    conclusion: run.conclusion === "stale" ? null : run.conclusion,
    started_at: isoTimeOrNull(run.startedAt),
    completed_at: isoTimeOrNull(run.completedAt),
    output: {
      title,
      summary,
      text,
      annotations_count: annotations.length,
      annotations_url: `${url}/annotations`,
    },
    check_suite: { id: run.suite.id },
    app: renderApp(urls, run.suite.app),
    pull_requests: renderPulls(urls, repository, run.suite.headSha),
  } satisfies Schema<"check-run">;
}

export function renderAnnotation(
  urls: Urls,
  repository: Repository,
  run: CheckRun,
  annotation: CheckRun["output"]["annotations"][number],
): Schema<"check-annotation"> {
  const { path, start_line, end_line, annotation_level, message, title = null } = annotation;
  return {
    path,
    start_line,
    end_line,
    start_column: null,
    end_column: null,
    annotation_level,
    title,
    message,
    raw_details: null,
    blob_href: `${urls.html(repository)}/blob/${run.suite.headSha}/${path}`,
  };
}

export const renderHeadCommit = ({
  sha,
  tree,
  message,
  author,
  committer,
}: Commit): Schema<"simple-commit"> => ({
  id: sha,
  tree_id: tree,
  message: message.trimEnd(),
  timestamp: isoTime(committer.date),
  author: { name: author.name, email: author.email },
  committer: { name: committer.name, email: committer.email },
});

export async function renderSuite(urls: Urls, repository: Repository, suite: CheckSuite) {
  const url = `${urls.repository(repository)}/check-suites/${suite.id}`;
  const commit = await repository.git.commit(suite.headSha);
  if (commit === null) throw new Error(`no commit ${suite.headSha}`);
  return {
    id: suite.id,
    node_id: nodeId("CheckSuite", suite.id),
    head_branch: suite.headBranch,
    head_sha: suite.headSha,
    ...summarizeSuite(suite),
    url,
    before: suite.before,
    after: suite.headSha,
    pull_requests: renderPulls(urls, repository, suite.headSha),
    app: renderApp(urls, suite.app),
    repository: renderRepository(urls, repository),
    created_at: isoTime(suite.createdAt),
    updated_at: isoTime(suite.updatedAt),
    head_commit: renderHeadCommit(commit),
    latest_check_runs_count: latestRuns(suite).length,
    check_runs_url: `${url}/check-runs`,
    rerequestable: true,
    runs_rerequestable: true,
  } satisfies Omit<Schema<"check-suite">, "status" | "conclusion"> & {
    status: string;
    conclusion: string | null;
  };
}
