import type * as z from "zod";
import type { InstalledRepository } from "../../ports/code-host/code-host.ts";
import { sameRepository } from "../../service/runtime/directory.ts";
import type { Answer } from "../commands/answer.ts";
import type { BotParts } from "../parts.ts";
import { placePayload, polledBranchPayload, repositoryOf } from "./payload.ts";

/**
 * Returns the payload with the present name and installation of its repository, and with the present name of the branch that was polled;
 * the same object if it has them. A delivery can be late, and name them as they were called then. Must run before anything is looked up by
 * these names.
 */
export async function atPresentPlace(
  parts: Pick<BotParts, "reach" | "queuesOf" | "settings">,
  payload: unknown,
): Promise<unknown> {
  return onPresentBranch(parts, await inPresentRepository(parts, payload));
}

async function inPresentRepository({ reach }: Pick<BotParts, "reach">, payload: unknown): Promise<unknown> {
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

/** Polling finds a change of a label or of auto-merge only once, so its delivery must find the queue. */
async function onPresentBranch(
  { queuesOf, settings }: Pick<BotParts, "queuesOf" | "settings">,
  payload: unknown,
): Promise<unknown> {
  const { data } = polledBranchPayload.safeParse(payload);
  if (!data) return payload;
  const queues = await queuesOf(repositoryOf(data, settings.host));
  const branch = queues.find(({ id }) => id === data.queueId)?.branch;
  if (branch === undefined || branch === data.pull_request.base.ref) return payload;
  const { pull_request: pull, ...rest } = payload as z.input<typeof polledBranchPayload>;
  return { ...rest, pull_request: { ...pull, base: { ...pull.base, ref: branch } } };
}

/** The same for a repository by itself; `repositoryId` is null when its id is not known. */
export async function presentRepository(
  { reach }: Pick<BotParts, "reach">,
  repo: InstalledRepository,
  repositoryId: number | null,
): Promise<InstalledRepository> {
  const present = repositoryId === null ? null : await reach.recognise({ ...repo, repositoryId });
  return present ? { ...present.repo, installationId: present.installationId } : repo;
}

/**
 * Whether a command found no queue because its queue moved with the repository meanwhile. Such a command is not answered, because its
 * delivery is handled again at the repository's present place.
 */
export function missedItsQueue(
  answers: readonly Answer[],
  seen: InstalledRepository,
  present: InstalledRepository,
): boolean {
  const isSame = sameRepository(present, seen) && present.installationId === seen.installationId;
  return !isSame && answers.some((answer) => !answer.done && answer.code === "QUEUE_NOT_FOUND");
}
