import { threadNodeId } from "../graphql/pull-request.ts";
import { renderAccount, renderInstallation, renderOrganization } from "../rest/render/account.ts";
import { renderCheckRun, renderSuite } from "../rest/render/check.ts";
import { renderComment, renderIssue, renderThreadComment } from "../rest/render/comment.ts";
import { renderCommit } from "../rest/render/commit.ts";
import { renderLabel, renderPull, renderReview, renderSimplePull } from "../rest/render/pull-request.ts";
import { renderRepository } from "../rest/render/repository.ts";
import { isoTime, nodeId, type Urls } from "../rest/urls.ts";
import type { Account } from "../world/account.ts";
import type { Repository } from "../world/repository.ts";
import type { World } from "../world/world.ts";
import type { WorldEvent } from "../world/world-event.ts";
import { buildPush, buildRefLife } from "./push-payload.ts";

export interface Payload {
  event: string;
  action: string | null;
  repository: Repository | null;
  payload: Record<string, unknown>;
}

type Of<Type extends WorldEvent["type"]> = Extract<WorldEvent, { type: Type }>;

/** Renders the properties that every payload about a repository has. */
export function renderContext(urls: Urls, repository: Repository, sender: Account) {
  const { owner } = repository;
  return {
    repository: renderRepository(urls, repository),
    ...(owner.type === "Organization" ? { organization: renderOrganization(urls, owner) } : {}),
    sender: renderAccount(urls, sender),
  };
}

/** Builds the webhooks that GitHub sends for an event. The caller adds the installation. */
export async function buildPayloads(world: World, urls: Urls, event: WorldEvent): Promise<Payload[]> {
  switch (event.type) {
    case "push":
      return [await buildPush(world, urls, event), ...buildRefLife(urls, event)];
    case "pull_request":
      return [await buildPullRequest(world, urls, event)];
    case "review":
      return [buildReview(world, urls, event)];
    case "review_thread":
      return [buildReviewThread(world, urls, event)];
    case "comment":
      return [buildComment(world, urls, event)];
    case "check_run":
      return [
        about(urls, event, event.action, { check_run: renderCheckRun(urls, event.repository, event.run) }),
      ];
    case "check_suite": {
      const { repository, ...suite } = await renderSuite(urls, event.repository, event.suite);
      return [about(urls, event, event.action, { check_suite: suite })];
    }
    case "workflow_request":
      return [];
    case "status":
      return [await buildStatus(world, urls, event)];
    case "installation":
      return [buildInstallation(urls, event)];
    case "installation_repositories":
      return [buildInstallationRepositories(urls, event)];
    case "repository":
      return [buildRepository(urls, event)];
  }
}

function about(
  urls: Urls,
  { type, repository, sender }: { type: string; repository: Repository; sender: Account },
  action: string,
  content: Record<string, unknown>,
): Payload {
  const payload = { action, ...content, ...renderContext(urls, repository, sender) };
  return { event: type, action, repository, payload };
}

async function buildPullRequest(
  world: World,
  urls: Urls,
  { pull, sender, change }: Of<"pull_request">,
): Promise<Payload> {
  const { action } = change;
  const { repository } = pull;
  const payload = {
    action,
    number: pull.number,
    pull_request: await renderPull(world, urls, pull, null),
    ...(change.action === "synchronize" ? { before: change.before, after: change.after } : {}),
    ...(change.action === "edited" ? { changes: change.changes } : {}),
    ...(change.action === "labeled" || change.action === "unlabeled"
      ? { label: renderLabel(urls, pull, change.label) }
      : {}),
    ...(action === "auto_merge_enabled" || action === "auto_merge_disabled" ? { reason: action } : {}),
    ...renderContext(urls, repository, sender),
  };
  return { event: "pull_request", action, repository, payload };
}

function buildReview(world: World, urls: Urls, { pull, sender, review, action }: Of<"review">): Payload {
  const rendered = renderReview(world, urls, pull, review);
  const payload = {
    action,
    review: { ...rendered, state: rendered.state.toLowerCase() },
    pull_request: renderSimplePull(world, urls, pull),
    ...renderContext(urls, pull.repository, sender),
  };
  return { event: "pull_request_review", action, repository: pull.repository, payload };
}

function buildReviewThread(
  world: World,
  urls: Urls,
  { pull, sender, thread, action }: Of<"review_thread">,
): Payload {
  const payload = {
    action,
    thread: { node_id: threadNodeId(thread.id), comments: [renderThreadComment(world, urls, thread)] },
    pull_request: renderSimplePull(world, urls, pull),
    ...renderContext(urls, pull.repository, sender),
  };
  return { event: "pull_request_review_thread", action, repository: pull.repository, payload };
}

function buildComment(world: World, urls: Urls, event: Of<"comment">): Payload {
  const { comment, sender, action } = event;
  const { repository } = comment.pull;
  const payload = {
    action,
    issue: renderIssue(world, urls, comment.pull),
    comment: renderComment(world, urls, comment),
    ...(event.action === "edited" ? { changes: { body: { from: event.before } } } : {}),
    ...renderContext(urls, repository, sender),
  };
  return { event: "issue_comment", action, repository, payload };
}

async function buildStatus(
  world: World,
  urls: Urls,
  { repository, sender, status }: Of<"status">,
): Promise<Payload> {
  const commit = await repository.git.commit(status.sha);
  if (commit === null) throw new Error(`no commit ${status.sha}`);
  const branches = repository.git.refs.pointingAt(status.sha, "refs/heads/");
  const payload = {
    id: status.id,
    sha: status.sha,
    name: repository.fullName,
    target_url: status.targetUrl,
    avatar_url: `${urls.base}/avatars/u/${status.creator.id}`,
    context: status.context,
    description: status.description,
    state: status.state,
    commit: renderCommit(world, urls, repository, commit),
    branches: branches.map((ref) => ({
      name: ref.slice("refs/heads/".length),
      commit: { sha: status.sha, url: `${urls.repository(repository)}/commits/${status.sha}` },
      protected: false,
    })),
    created_at: isoTime(status.createdAt),
    updated_at: isoTime(status.createdAt),
    ...renderContext(urls, repository, sender),
  };
  return { event: "status", action: null, repository, payload };
}

const renderBrief = ({ id, name, fullName }: Repository) => ({
  id,
  node_id: nodeId("Repository", id),
  name,
  full_name: fullName,
  private: true,
});

function buildInstallation(urls: Urls, event: Of<"installation">): Payload {
  const { installation, sender, action, repositories } = event;
  const payload = {
    action,
    installation: renderInstallation(urls, installation),
    repositories: repositories.map(renderBrief),
    requester: null,
    sender: renderAccount(urls, sender),
  };
  return { event: "installation", action, repository: null, payload };
}

function buildInstallationRepositories(
  urls: Urls,
  { installation, sender, action, repositories }: Of<"installation_repositories">,
): Payload {
  const brief = repositories.map(renderBrief);
  const payload = {
    action,
    installation: renderInstallation(urls, installation),
    repository_selection: installation.selected === null ? "all" : "selected",
    repositories_added: action === "added" ? brief : [],
    repositories_removed: action === "removed" ? brief : [],
    requester: null,
    sender: renderAccount(urls, sender),
  };
  return { event: "installation_repositories", action, repository: null, payload };
}

function buildRepository(urls: Urls, { repository, sender, change }: Of<"repository">): Payload {
  const payload = {
    action: change.action,
    ...(change.action === "renamed" ? { changes: { repository: { name: { from: change.from } } } } : {}),
    ...(change.action === "transferred"
      ? { changes: { owner: { from: { organization: renderOrganization(urls, change.from) } } } }
      : {}),
    ...renderContext(urls, repository, sender),
  };
  return { event: "repository", action: change.action, repository, payload };
}
