import { createRandomSource } from "../../../src/replay/workload/random-source.ts";
import { Boundaries } from "./boundaries.ts";
import { ServiceLife, type ServiceOutcome } from "./service-life.ts";
import { type ServicePlan, startsAt } from "./service-plan.ts";
import { failTransactions, VirtualDatabase } from "./virtual-database.ts";
import { silent } from "./virtual-replicas.ts";
import { VirtualTime } from "./virtual-time.ts";

/** Plays one life of a service in virtual time, and judges its end by the truth. */
export async function playService(
  plan: ServicePlan,
  boundaries = new Boundaries(null),
  log: typeof silent = silent,
): Promise<ServiceOutcome> {
  const time = new VirtualTime(startsAt);
  const random = createRandomSource(plan.seed * 104_729 + 3);
  const isCalm = () => time.now() >= startsAt + plan.calmFrom;
  // Before the database prepares its statements.
  const stopWatching = boundaries.watchCommits();
  const database = await VirtualDatabase.open();
  const restore = time.install();
  const mend = failTransactions(() => !isCalm() && random() < plan.storeFaults);
  try {
    return await new ServiceLife({ plan, time, database, boundaries, log }).play();
  } finally {
    mend();
    restore();
    stopWatching();
    await database.close();
  }
}
