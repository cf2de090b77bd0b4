import type * as z from "zod";
import { isSameName } from "../../engine/model/names.ts";
import type { InstalledRepository } from "../../ports/code-host/code-host.ts";
import type { Clock } from "../../ports/code-host/runtime.ts";
import { sameRepository } from "../../service/runtime/directory.ts";
import type { Bot } from "../bot.ts";
import type { Answer } from "../commands/answer.ts";
import { placePayload, polledBranchPayload, type pullRequestPayload, repositoryOf } from "./payload.ts";

/**
 * Returns the payload with the current names of its repository and of the polled branch, and with the current installation; the same object
 * if they are correct. A late delivery may contain former names. Must run before anything is looked up by these names.
 */
export async function atPresentPlace(bot: Bot, payload: unknown): Promise<unknown> {
  return onPresentBranch(bot, await inPresentRepository(bot, payload));
}

async function inPresentRepository({ reach }: Bot, payload: unknown): Promise<unknown> {
  const { data } = placePayload.safeParse(payload);
  const owner = data?.repository.owner.login ?? data?.repository.owner.name;
  if (!data || owner === undefined) return payload;
  const { id: repositoryId, name } = data.repository;
  const seen = { owner, name, repositoryId, installationId: data.installation.id };
  const present = await reach.recognise(seen);
  if (present === null) return payload;
  const { repository, installation, ...rest } = payload as z.input<typeof placePayload>;
  const { repo, installationId } = present;
  return {
    ...rest,
    repository: {
      ...repository,
      name: repo.name,
      // The payload of a push names the owner in another field.
      owner: { ...repository.owner, login: repo.owner, name: repo.owner },
    },
    installation: { ...installation, id: installationId },
  };
}

/** Polling finds a change of a label or of auto-merge only once, so its delivery must not miss the queue. */
async function onPresentBranch({ queuesOf, settings }: Bot, payload: unknown): Promise<unknown> {
  const { data } = polledBranchPayload.safeParse(payload);
  if (!data) return payload;
  const queues = await queuesOf(repositoryOf(data, settings.host));
  const branch = queues.find(({ id }) => id === data.queueId)?.branch;
  if (branch === undefined || branch === data.pull_request.base.ref) return payload;
  const { pull_request: pull, ...rest } = payload as z.input<typeof polledBranchPayload>;
  return { ...rest, pull_request: { ...pull, base: { ...pull.base, ref: branch } } };
}

/** Like `atPresentPlace`, for a repository alone; `repositoryId` is null when its id is not known. */
export async function presentRepository(
  { reach }: Bot,
  repo: InstalledRepository,
  repositoryId: number | null,
): Promise<InstalledRepository> {
  const present = repositoryId === null ? null : await reach.recognise({ ...repo, repositoryId });
  return present ? { ...present.repo, installationId: present.installationId } : repo;
}

/**
 * Whether a command found no queue because its queue moved with the repository meanwhile. Such a command is not answered, because its
 * delivery is handled again under the repository's current name.
 */
export function missedItsQueue(
  answers: readonly Answer[],
  seen: InstalledRepository,
  present: InstalledRepository,
): boolean {
  const isSame = sameRepository(present, seen) && present.installationId === seen.installationId;
  return !isSame && answers.some((answer) => !answer.done && answer.code === "QUEUE_NOT_FOUND");
}

/** A change that is handled within this time is not late. */
const liveMs = 5_000;

/**
 * Returns the base branch of a pull request that a label or auto-merge submits. A change that is handled late may name a former base
 * branch, in whose queue the pull request would wait.
 *
 * @param base the name in the change; this branch has a queue
 *
 * @param givenAt when the change was made, in milliseconds since the epoch
 */
export async function presentBase(
  { clock, baseBranchOf }: Bot,
  repo: InstalledRepository,
  pr: number,
  base: string,
  givenAt: number,
): Promise<string> {
  if (!isLate(clock, givenAt)) return base;
  return (await baseBranchOf(repo, pr)) ?? base;
}

/**
 * Whether a label that is handled late has been removed since. The webhook of the removal may be lost, and polling does not list the pull
 * request if its base branch has changed.
 *
 * @param givenAt when the label was added, in milliseconds since the epoch
 */
export async function wasLabelRemovedSince(
  { clock, codeHost }: Bot,
  repo: InstalledRepository,
  { label, pull_request: pull }: z.infer<typeof pullRequestPayload>,
  givenAt: number,
): Promise<boolean> {
  if (!isLate(clock, givenAt)) return false;
  const events = await codeHost.listLabelEvents(repo, pull.number);
  return events.findLast((event) => isSameName(event.label, label?.name))?.action === "unlabeled";
}

/**
 * Whether auto-merge that is handled late has been disabled since, as with a label.
 *
 * @param enabledAt when it was enabled, in milliseconds since the epoch
 */
export async function wasAutoMergeDisabledSince(
  { clock, codeHost }: Bot,
  repo: InstalledRepository,
  pr: number,
  enabledAt: number,
): Promise<boolean> {
  return isLate(clock, enabledAt) && (await codeHost.autoMergeEnabledAt(repo, pr)) === null;
}

function isLate(clock: Clock, madeAt: number): boolean {
  return clock.now() - madeAt > liveMs;
}
