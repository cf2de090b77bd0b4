import { accountOf } from "../../auth/caller.ts";
import { addLabels, removeLabel } from "../../world/pulls/pull-lifecycle.ts";
import type { IssueEvent, PullRequest } from "../../world/pulls/pull-request.ts";
import { pullOrRefuse } from "../find-pull.ts";
import type { Answer, Handlers } from "../operation.ts";
import { paginate } from "../paginate.ts";
import { notFound } from "../refusal.ts";
import { renderAccount } from "../render/account.ts";
import { renderLabel } from "../render/pull-request.ts";
import { isoTime, nodeId, type Urls } from "../urls.ts";

type LabelOperation =
  | "issues/add-labels"
  | "issues/remove-label"
  | "issues/list-labels-on-issue"
  | "issues/list-events";

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

export const issueLabelOperations: Handlers<LabelOperation> = {
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
    const { page, headers } = paginate(call, pull.labels);
    return { status: 200, body: page.map((label) => renderLabel(call.urls, pull, label)), headers };
  },

  "issues/list-events": (call) => {
    const pull = pullOrRefuse(call.repository, call.path.issue_number);
    const { page, headers } = paginate(call, pull.events);
    // The description has no shape for the events closed, reopened, and merged, although GitHub sends them.
    const body = page.map((event) => renderEvent(call.urls, pull, event)) as unknown as EventList;
    return { status: 200, body, headers };
  },
};
