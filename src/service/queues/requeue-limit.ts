import type { Actor, Channel } from "../../engine/model/actor.ts";
import type { PullRequestFacts } from "../../engine/model/entry.ts";
import type { Event } from "../../engine/model/event.ts";
import type { QueueRecord } from "../../store/queue/queue-store.ts";
import type { QueueContext } from "../observation/queue-context.ts";
import { installed } from "../runtime/directory.ts";
import type { Refusal } from "../runtime/outcome.ts";

/** A pull request with more events on one head than this was submitted by hand, or by a bot that was stopped by the limit long before. */
const mostEvents = 1_000;

/**
 * Refuses to submit a head again if bots have reached the limit of the repository file and no person has submitted it since; null = it may
 * be submitted.
 */
export async function requeueRefusal(
  { files, stores, runtime }: Pick<QueueContext, "files" | "stores" | "runtime">,
  queue: QueueRecord,
  { number: pr, headSha: head }: PullRequestFacts,
  by: { readonly actor: Actor; readonly via: Channel },
): Promise<Refusal | null> {
  if (!isByBot(by)) return null;
  const parsed = await files.read(installed(queue), queue.branch);
  const limit = parsed.ok ? parsed.file.requeuesByBots : undefined;
  if (limit === undefined) return null;
  if ((await runtime.state(queue.id)).entries.get(pr)?.headSha === head) return null;
  const { events } = await stores.queues.entryEvents(queue.id, pr, mostEvents);
  return isRequeueLimitReached(events, head, limit)
    ? { code: "REQUEUE_NEEDS_PERSON", pr, head, limit }
    : null;
}

/**
 * Whether bots have submitted a head again as often as they may, and no person has done so since.
 *
 * @param events of the pull request
 *
 * @param limit absent = no limit
 */
export function isRequeueLimitReached(
  events: readonly Event[],
  head: string,
  limit: number | undefined,
): boolean {
  if (limit === undefined) return false;
  const admissions = events.flatMap(({ data }) =>
    data.type === "entry_admitted" && data.headSha === head ? [data] : [],
  );
  if (admissions.length === 0) return false;
  const lastByPerson = admissions.findLastIndex((admission) => !isByBot(admission));
  // The first submission of a head is no requeue, even if a bot made it.
  const again = admissions.length - 1 - Math.max(lastByPerson, 0);
  return again >= limit;
}

/**
 * Whether a program gave a command. GitHub ends the logins of Apps with `[bot]`, which no person's login can contain. A command by the
 * API counts as a program's, because nothing shows whether a person or an agent has sent it.
 */
function isByBot({ actor: { kind, name }, via }: { readonly actor: Actor; readonly via: Channel }): boolean {
  return via === "api" || via === "action" || (kind === "user" && name.endsWith("[bot]"));
}
