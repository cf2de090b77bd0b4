import type * as z from "zod";
import { nameKey } from "../../engine/model/names.ts";
import type { InstalledRepository } from "../../ports/code-host/code-host.ts";
import type { FoundComment, ListedPullRequest } from "../../ports/code-host/pull-requests.ts";
import { ignoredStep } from "../../service/metrics/ignored.ts";
import { recoveredStep } from "../../service/metrics/recovered.ts";
import { wholeSecond } from "../../service/observation/whole-second.ts";
import { foundComment, foundLabel } from "../../service/tasks/pending-input.ts";
import type { Delivery } from "../../store/leased/inbox.ts";
import type { Bot } from "../bot.ts";
import { commentSubject } from "../deliveries/delivery.ts";
import type { foundLabelPayload } from "../deliveries/payload.ts";
import type { PostedComment } from "./on-comment.ts";

/** A branch with a queue, with the facts that the poller needs. */
export interface PolledQueue {
  readonly id: string;
  /** The code host's id, which a rename does not change; null when it was not read yet. */
  readonly repositoryId: number | null;
  readonly repo: InstalledRepository;
  readonly branch: string;
  readonly createdAt: number;
}

/** A change of a label or of auto-merge. */
export interface FoundChange {
  readonly action: string;
  readonly label?: string;
  readonly actorLogin: string;
  readonly actorId: number;
  readonly actorIsBot: boolean;
  readonly at: number;
}

/** The ids let the delivery follow a repository or a branch that is renamed meanwhile. */
type FoundChangePayload = z.infer<typeof foundLabelPayload> & {
  readonly repository: { readonly id?: number };
};

/** Where and when something was found. */
interface Finding {
  readonly host: string;
  readonly now: number;
}

export function commentDelivery(queue: PolledQueue, comment: FoundComment, { host, now }: Finding): Delivery {
  return {
    id: `found-comment/${host}/${comment.id}`,
    event: foundComment,
    action: null,
    subject: commentSubject(comment.id),
    stream: `${nameOf(queue.repo)}#${comment.issue}`,
    payload: JSON.stringify(posted(queue, comment)),
    receivedAt: now,
  };
}

/** The delivery of a change that polling found. @param change its `id` is unique in the repository */
export function changeDelivery(
  queue: PolledQueue,
  pull: ListedPullRequest,
  change: FoundChange & { readonly id: string },
  { host, now }: Finding,
): Delivery {
  const { id: queueId, repo, repositoryId, branch } = queue;
  const payload: FoundChangePayload = {
    labelledAt: change.at,
    queueId,
    repository: {
      ...(repositoryId === null ? {} : { id: repositoryId }),
      name: repo.name,
      owner: { login: repo.owner },
    },
    installation: { id: repo.installationId },
    action: change.action,
    ...(change.label === undefined ? {} : { label: { name: change.label } }),
    sender: { login: change.actorLogin, id: change.actorId, type: change.actorIsBot ? "Bot" : "User" },
    pull_request: {
      number: pull.number,
      title: "",
      state: "open",
      draft: pull.draft,
      updated_at: new Date(pull.updatedAt).toISOString(),
      head: { ref: "", sha: pull.headSha },
      base: { ref: branch },
      labels: pull.labels.map((name) => ({ name })),
    },
  };
  return {
    id: `found-label/${host}/${keyOf(queue)}/${change.id}`,
    event: foundLabel,
    action: change.action,
    subject: null,
    stream: `${nameOf(repo)}#${pull.number}`,
    payload: JSON.stringify(payload),
    receivedAt: now,
  };
}

function posted({ repo, repositoryId }: PolledQueue, comment: FoundComment): PostedComment {
  return {
    repo,
    repositoryId,
    id: comment.id,
    pr: comment.issue,
    nodeId: comment.nodeId,
    body: comment.body,
    before: null,
    author: { login: comment.authorLogin, id: comment.authorId, isPerson: !comment.authorIsBot },
    viaAppId: comment.viaAppId,
    labels: null,
    createdAt: comment.createdAt,
    told: false,
    place: null,
    reviewed: null,
  };
}

/** Identifies the repository, even after a rename. */
export function keyOf({ repositoryId, repo }: PolledQueue): string {
  return repositoryId === null ? nameOf(repo) : String(repositoryId);
}

/** The name of the repository, in lower case. */
export function nameOf({ owner, name }: InstalledRepository): string {
  return nameKey(`${owner}/${name}`);
}

/** The maximum difference from the code host's clock. The doctor reports a larger one as an error. */
const clockErrorMs = 60_000;

/**
 * Returns the time since which to search, by the code host's clock. A cursor of an earlier version is found by the repository's name; the
 * search continues right after it.
 */
export async function pollSince(
  { cursors }: Bot,
  cursor: string,
  earlier: string,
  { createdAt }: PolledQueue,
): Promise<number> {
  const known = await cursors.get(cursor);
  if (known !== null) return Number(known);
  const last = await cursors.get(earlier);
  return last === null ? wholeSecond(createdAt - clockErrorMs) : Number(last) + 1;
}

/** Puts the delivery of something that polling found into the inbox, which ignores known ones. */
export async function addFound(
  { inbox }: Bot,
  onAdded: () => void,
  { owner }: InstalledRepository,
  delivery: Delivery,
  what: "comment" | "label",
): Promise<void> {
  const added = await inbox.add(delivery, [recoveredStep(owner, what)]);
  if (added === "added") onAdded();
}

/** Records that a command is too old to be carried out. */
export async function ignoreOld(
  { log, meters }: Bot,
  { owner, name }: InstalledRepository,
  what: object,
): Promise<void> {
  log.warn({ repo: `${owner}/${name}`, ...what, reason: "too_old" }, "ignored a command that polling found");
  await meters.add([ignoredStep(nameKey(owner), "too_old")]);
}
