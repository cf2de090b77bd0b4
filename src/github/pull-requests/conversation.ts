import * as z from "zod";
import { ghost, isSameName } from "../../engine/model/names.ts";
import type { FoundComment, LabelEvent, Reaction } from "../../ports/code-host/pull-requests.ts";
import { statusOf } from "../client/code-host-error.ts";
import type { ContentWriter } from "../client/content-writer.ts";
import { askGraphql, pullRequestQuery, type RepositoryApi } from "../client/repository-api.ts";
import { instanceIn } from "./comment.ts";

interface Account {
  readonly login: string;
  readonly id: number;
  readonly type: string;
}

const nobody: Account = { login: ghost, id: 0, type: "User" };

/** Who did something. An account that was deleted and is not named by GitHub becomes a person without permission. */
export function actorOf(account: Account | null | undefined) {
  const { login, id, type } = account ?? nobody;
  return { login, id, isBot: type !== "User" };
}

export async function listComments({ octokit, at }: RepositoryApi, since: number): Promise<FoundComment[]> {
  const comments = await octokit.paginate(octokit.rest.issues.listCommentsForRepo, {
    ...at,
    since: new Date(since).toISOString(),
    sort: "updated",
    direction: "asc",
    per_page: 100,
  });
  return comments.map((comment) => {
    const author = actorOf(comment.user);
    return {
      id: comment.id,
      nodeId: comment.node_id,
      issue: Number(comment.issue_url.split("/").at(-1)),
      onPullRequest: comment.html_url.includes("/pull/"),
      body: comment.body ?? "",
      authorLogin: author.login,
      authorIsBot: author.isBot,
      authorId: author.id,
      viaAppId: comment.performed_via_github_app?.id ?? null,
      instance: instanceIn(comment.body ?? ""),
      createdAt: Date.parse(comment.created_at),
      updatedAt: Date.parse(comment.updated_at),
    };
  });
}

export async function listLabelEvents(
  { octokit, at }: RepositoryApi,
  issue_number: number,
): Promise<LabelEvent[]> {
  const events = await octokit.paginate(octokit.rest.issues.listEvents, {
    ...at,
    issue_number,
    per_page: 100,
  });
  return events.flatMap((event) => {
    const action = event.event;
    const label = "label" in event ? event.label?.name : undefined;
    if ((action !== "labeled" && action !== "unlabeled") || !label) return [];
    const actor = actorOf(event.actor);
    return {
      id: event.id,
      action,
      label,
      actorLogin: actor.login,
      actorIsBot: actor.isBot,
      actorId: actor.id,
      at: Date.parse(event.created_at),
    };
  });
}

export async function listLabels({ octokit, at }: RepositoryApi, issue_number: number): Promise<string[]> {
  const labels = octokit.rest.issues.listLabelsOnIssue;
  return (await octokit.paginate(labels, { ...at, issue_number, per_page: 100 })).map(({ name }) => name);
}

export async function addLabel(
  { octokit, at }: RepositoryApi,
  issue_number: number,
  label: string,
): Promise<void> {
  await octokit.rest.issues.addLabels({ ...at, issue_number, labels: [label] });
}

export async function removeLabel(api: RepositoryApi, issue_number: number, name: string): Promise<void> {
  try {
    await api.octokit.rest.issues.removeLabel({ ...api.at, issue_number, name });
  } catch (error) {
    if (statusOf(error) !== 404) throw error;
    const labels = await listLabels(api, issue_number);
    if (labels.some((label) => isSameName(label, name))) throw error;
  }
}

const autoMergeQuery = pullRequestQuery(
  "autoMergeRequest { enabledAt }",
  z.object({
    autoMergeRequest: z.object({ enabledAt: z.iso.datetime({ offset: true }).nullable() }).nullable(),
  }),
);

/** Only GraphQL returns the time. REST only returns who enabled it. */
export async function autoMergeEnabledAt(api: RepositoryApi, number: number): Promise<number | null> {
  const { autoMergeRequest } = (await askGraphql(api, autoMergeQuery, { number })).pullRequest;
  return autoMergeRequest?.enabledAt ? Date.parse(autoMergeRequest.enabledAt) : null;
}

const contents = { thumbs_up: "THUMBS_UP", confused: "CONFUSED" } as const;

/** https://docs.github.com/en/graphql/reference/mutations#addreaction */
export async function react(writer: ContentWriter, subjectId: string, reaction: Reaction): Promise<void> {
  await writer.write({
    name: "addReaction",
    input: { subjectId, content: contents[reaction] },
    selection: "clientMutationId",
    shape: z.object({}),
    creates: null,
  });
}
