import type { Service } from "../../../src/service/create-service.ts";
import type { BoundaryEvent } from "./boundary-event.ts";
import type { PlannedPullRequest, ServicePlan } from "./service-plan.ts";
import { type AuthorParts, alice, pushTo } from "./virtual-author.ts";
import type { VirtualProcess } from "./virtual-process.ts";
import { branch } from "./virtual-repository.ts";
import type { VirtualWorld } from "./virtual-world.ts";

/** How long an event at a boundary lasts. A frozen process loses all its leases. */
const lastsMs = 60_000;

interface HappeningParts {
  readonly plan: ServicePlan;
  readonly world: VirtualWorld;
  readonly author: AuthorParts;
}

/** Lets something happen at a boundary that a process has reached. */
export function happen(
  event: BoundaryEvent,
  process: VirtualProcess,
  { plan, world, author }: HappeningParts,
): void {
  const { time } = author;
  switch (event) {
    case "kill":
      return process.die();
    case "freeze":
      process.suspendedUntil = time.now() + lastsMs;
      return;
    case "push_to_base":
      return world.pushToBase();
    case "push":
      return pushTo(withdrawnOf(plan), author);
    case "cancel":
      return void author.insist((service) => cancel(withdrawnOf(plan), service, world));
    default:
      // The service hears of it at once, while its work is under way.
      world.begin(event, 0);
      time.after(lastsMs, () => world.end(event));
  }
}

/** The pull request that is withdrawn at a boundary. */
function withdrawnOf({ pullRequests }: ServicePlan): number {
  const isMeant = ({ ends, withdrawn }: PlannedPullRequest) => ends === "cancelled" && withdrawn === null;
  const found = pullRequests.find(isMeant);
  if (!found) throw new Error("the plan has no pull request that is withdrawn at a boundary");
  return found.number;
}

/** Gives up when it was merged first. */
async function cancel(pr: number, { queues }: Service, { model, repository }: VirtualWorld) {
  const { ok } = await queues.cancel({ repo: repository.ref, branch, pr, actor: alice, via: "api" });
  return { ok: ok || model.pullRequest(pr).state !== "open" };
}
