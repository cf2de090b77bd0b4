import { accountOf, appOf, writerOf } from "../../auth/authorize.ts";
import type { OperationId } from "../../schema/operations.ts";
import { hasRole } from "../../world/account.ts";
import { editIssue, type Issue, moveIssue, openIssue } from "../../world/issue.ts";
import { addLabels, removeLabel } from "../../world/pulls/pull-lifecycle.ts";
import type { IssueEvent, PullRequest } from "../../world/pulls/pull-request.ts";
import type { Repository } from "../../world/repository.ts";
import { answerPage, paginate, pullOrRefuse } from "../lookups.ts";
import type { Answer, Call, Handlers } from "../operation.ts";

import { notFound, Refusal, validationFailed } from "../refusal.ts";
import { renderAccount } from "../render/account.ts";
import { renderIssue } from "../render/comment.ts";
import { renderPlainIssue } from "../render/issue.ts";
import { renderLabel } from "../render/pull-request.ts";
import { isoTime, nodeId, type Urls } from "../urls.ts";

type Listed = Extract<Answer<"issues/list-for-repo">, { status: 200 }>["body"];

const longest = { title: 256, body: 65_536 } as const;

function checkLength(field: keyof typeof longest, text: string | null): void {
  if ((text?.length ?? 0) <= longest[field]) return;
  const message = `${field} is too long (maximum is ${longest[field]} characters)`;
  throw validationFailed({ resource: "Issue", field, code: "custom", message });
}

function checkTitle(title: string): void {
  if (title.trim() === "")
    throw validationFailed({ resource: "Issue", field: "title", code: "missing_field" });
  checkLength("title", title);
}

/** @throws a 410 refusal when issues are disabled in the repository */
function checkHasIssues({ hasIssues }: Repository): void {
  if (!hasIssues) throw new Refusal(410, "Issues has been disabled in this repository.");
}

/** Labels, and changes to others' issues, need the triage role. Labels from callers without it are dropped silently. */
function mayTriage<Id extends OperationId>({ world, caller, repository }: Call<Id>): boolean {
  return hasRole(writerOf(world, caller, repository).role, "triage");
}

type LabelNames = readonly (string | { name?: string })[] | undefined;
const namesOf = (labels: LabelNames) =>
  labels?.map((label) => (typeof label === "string" ? label : (label.name ?? "")));

function updateIssue(call: Call<"issues/update">, issue: Issue): void {
  const { world, caller, body } = call;
  if (accountOf(caller) !== issue.author && !mayTriage(call))
    throw new Refusal(403, "Must have admin rights to Repository.");
  if (body.title !== undefined && body.title !== null) checkTitle(String(body.title));
  checkLength("body", body.body ?? null);
  const labels = mayTriage(call) ? namesOf(body.labels as LabelNames) : undefined;
  editIssue(world, issue, {
    ...(body.title === undefined || body.title === null ? {} : { title: String(body.title) }),
    ...(body.body === undefined ? {} : { body: body.body }),
    ...(labels === undefined ? {} : { labels }),
  });
  const reason = body.state_reason === "duplicate" ? "not_planned" : (body.state_reason ?? null);
  if (body.state !== undefined) moveIssue(world, issue, body.state, reason);
}

type Entry = { of: Issue; pull: null } | { of: PullRequest; pull: PullRequest };

function listed({ repository, query }: Call<"issues/list-for-repo">): Entry[] {
  const { state = "open", creator, since, labels = "" } = query;
  const wanted = labels.split(",").filter((name) => name !== "");
  const from = since === undefined ? 0 : Date.parse(since);
  const entries: Entry[] = [
    ...[...repository.issues.values()].map((of) => ({ of, pull: null })),
    ...[...repository.pulls.values()].map((of) => ({ of, pull: of })),
  ];
  const has = ({ of }: Entry, name: string) =>
    of.labels.some((label) => label.name.toLowerCase() === name.toLowerCase());
  return entries.filter(
    (entry) =>
      (state === "all" || entry.of.state === state) &&
      (creator === undefined || entry.of.author.login.toLowerCase() === creator.toLowerCase()) &&
      entry.of.updatedAt.getTime() >= from &&
      wanted.every((name) => has(entry, name)),
  );
}

const sortKeys = {
  created: ({ of }: Entry) => of.number,
  updated: ({ of }: Entry) => of.updatedAt.getTime(),
  comments: ({ of }: Entry) => of.comments.length,
};

export const issueOperations = {
  "issues/create": (call) => {
    const { world, urls, caller, body, repository } = call;
    checkHasIssues(repository);
    const title = String(body.title);
    checkTitle(title);
    checkLength("body", body.body ?? null);
    const labels = mayTriage(call) ? (namesOf(body.labels as LabelNames) ?? []) : [];
    const of = { author: accountOf(caller), app: appOf(caller), title, body: body.body ?? null, labels };
    const rendered = renderPlainIssue(world, urls, openIssue(world, repository, of));
    return { status: 201, body: rendered, headers: { location: rendered.url } };
  },

  "issues/get": ({ world, urls, repository, path }) => {
    const issue = repository.issues.get(path.issue_number);
    if (issue === undefined)
      return { status: 200, body: renderIssue(world, urls, pullOrRefuse(repository, path.issue_number)) };
    checkHasIssues(repository);
    return { status: 200, body: renderPlainIssue(world, urls, issue) };
  },

  "issues/list-for-repo": (call) => {
    const { world, urls, query } = call;
    const { sort = "created", direction = "desc" } = query;
    const sign = direction === "asc" ? 1 : -1;
    const entries = listed(call).sort(
      (a, b) => sign * (sortKeys[sort](a) - sortKeys[sort](b) || a.of.number - b.of.number),
    );
    const { page, headers } = paginate(call, entries);
    const body = page.map(({ of, pull }) =>
      pull === null ? renderPlainIssue(world, urls, of) : renderIssue(world, urls, pull),
    );
    return { status: 200, body: body as Listed, headers };
  },

  "issues/update": (call) => {
    const { world, urls, repository, path } = call;
    const issue = repository.issues.get(path.issue_number);
    if (issue === undefined) throw notFound();
    checkHasIssues(repository);
    updateIssue(call, issue);
    return { status: 200, body: renderPlainIssue(world, urls, issue) };
  },
} satisfies Handlers;

type EventList = Extract<Answer<"issues/list-events">, { status: 200 }>["body"];

/** Returns the names from any form in which the operation accepts labels. */
function labelNames(body: unknown): string[] {
  const listed = Array.isArray(body) ? body : (body as { labels?: unknown }).labels;
  if (!Array.isArray(listed)) return [];
  return listed.map((label) => (typeof label === "string" ? label : String(label?.name)));
}

const renderEvent = (urls: Urls, pull: PullRequest, event: IssueEvent) => ({
  id: event.id,
  node_id: nodeId("IssueEvent", event.id),
  url: `${urls.repository(pull.repository)}/issues/events/${event.id}`,
  actor: renderAccount(urls, event.actor),
  event: event.event,
  commit_id: event.commit,
  commit_url: event.commit === null ? null : `${urls.repository(pull.repository)}/commits/${event.commit}`,
  created_at: isoTime(event.at),
  performed_via_github_app: null,
  ...(event.label === null ? {} : { label: { name: event.label.name, color: event.label.color } }),
});

export const issueLabelOperations = {
  "issues/add-labels": async ({ world, urls, caller, path, body, repository }) => {
    const pull = pullOrRefuse(repository, path.issue_number);
    await addLabels(world, pull, accountOf(caller), labelNames(body));
    return { status: 200, body: pull.labels.map((label) => renderLabel(urls, pull, label)) };
  },

  "issues/remove-label": async ({ world, urls, caller, path, repository }) => {
    const pull = pullOrRefuse(repository, path.issue_number);
    if (!(await removeLabel(world, pull, accountOf(caller), path.name)))
      throw notFound("Label does not exist");
    return { status: 200, body: pull.labels.map((label) => renderLabel(urls, pull, label)) };
  },

  "issues/list-labels-on-issue": (call) => {
    const pull = pullOrRefuse(call.repository, call.path.issue_number);
    return answerPage(call, pull.labels, (label) => renderLabel(call.urls, pull, label));
  },

  "issues/list-events": (call) => {
    const pull = pullOrRefuse(call.repository, call.path.issue_number);
    const { page, headers } = paginate(call, pull.events);
    // The description has no shape for the events closed, reopened, and merged, although GitHub sends them.
    const body = page.map((event) => renderEvent(call.urls, pull, event)) as unknown as EventList;
    return { status: 200, body, headers };
  },
} satisfies Handlers;
