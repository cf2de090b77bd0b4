import type { Actor } from "../../engine/model/actor.ts";
import type { AuditedAct } from "../../service/access/audit-trail.ts";
import type { QueueAddress } from "../../service/runtime/directory.ts";
import { type Outcome, refused } from "../../service/runtime/outcome.ts";
import type { DashboardServices } from "../dashboard-services.ts";
import type { SignedInActor } from "../session.ts";
import {
  type Action,
  describeRefusal,
  type EntryAction,
  endpoints,
  isQueueAction,
  type QueueAction,
  renderDone,
  statuses,
} from "./action.ts";
import { type AskedAct, describeAct } from "./describe-act.ts";

/** A request of somebody who has signed in to change a queue. */
export interface Request extends Pick<AskedAct, "by" | "from"> {
  readonly queue: QueueAddress;
  readonly action: Action;
}

type Parts = Pick<DashboardServices, "queues" | "audit">;

/** Carries out an action with the use cases of the API. Returns what was done, and what was refused and why. */
export async function carryOutAction(parts: Parts, request: Request): Promise<string> {
  const { action, queue } = request;
  if (isQueueAction(action)) {
    const outcome = await audited(parts, request, null, () => configure(parts, request, action));
    return outcome.ok ? renderDone(action, queue.branch) : describeRefusal(outcome.refusal);
  }
  const done: number[] = [];
  const problems: string[] = [];
  for (const pr of action.prs) {
    const outcome = await audited(parts, request, pr, () => changeEntry(parts, request, action, pr));
    if (outcome.ok) done.push(pr);
    else problems.push(describeRefusal(outcome.refusal));
  }
  const said = done.length === 0 ? [] : [renderDone({ ...action, prs: done }, queue.branch)];
  return [...said, ...problems].join(" ");
}

/** Records a forbidden request as a single entry, so that strangers cannot fill the log. */
export async function noteForbidden({ audit }: Parts, request: Request, code: string): Promise<void> {
  const [pr, ...others] = isQueueAction(request.action) ? [] : request.action.prs;
  await audit.record(actOf(request, others.length === 0 ? (pr ?? null) : null, "refused", code));
}

export function actorOf({ kind, name }: SignedInActor): Actor {
  return { kind, name };
}

function configure({ queues }: Parts, { queue, by }: Request, { name, reason }: QueueAction) {
  const actor = { ...actorOf(by), ...(reason === null ? {} : { reason }) };
  return queues.configureQueue({ ...queue, changes: { status: statuses[name] }, actor });
}

async function changeEntry(
  { queues }: Parts,
  { queue, by }: Request,
  action: EntryAction,
  pr: number,
): Promise<Outcome<unknown>> {
  const target = { ...queue, pr, actor: actorOf(by), via: "dashboard" } as const;
  const found = await queues.readEntry({ ...queue, pr });
  if (!found.ok) return found;
  const { entry, live } = found.value;
  // Only a head that was admitted before. A new one of a fork could bring workflows that nobody has looked at.
  const same = { expectedHead: entry.headSha, seenHead: null, noBatch: null };
  if (action.name === "submit") return queues.submit({ ...target, ...same, priority: null });
  // The use cases would return how the entry ended, or submit it again.
  if (!live) return refused({ code: "NOT_QUEUED", pr });
  if (action.name === "cancel") return queues.cancel(target);
  if (action.name === "restart") return queues.restart(target);
  return queues.submit({ ...target, ...same, priority: action.priority });
}

function audited<T>(
  { audit }: Parts,
  request: Request,
  pr: number | null,
  carryOut: () => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  return audit.execute(
    (outcome, code) => actOf(request, pr, outcome, code),
    carryOut,
    (result) => (result.ok ? null : result.refusal.code),
  );
}

function actOf(
  { queue: { repo, branch }, action, by, from }: Request,
  pr: number | null,
  outcome: AuditedAct["outcome"],
  code: string | null,
): AuditedAct {
  return {
    ...describeAct({ organisation: repo.owner, action: endpoints[action.name], by, from }, outcome, code),
    ...{ repo, branch, pr, reason: isQueueAction(action) ? action.reason : null },
  };
}
