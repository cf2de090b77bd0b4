import { createRandomSource } from "../../../src/replay/workload/random-source.ts";
import type { SeedRange, SeedsPlayed } from "../soak/run-seeds.ts";
import { Boundaries } from "./boundaries.ts";
import { ServiceLife, type ServiceOutcome } from "./service-life.ts";
import { drawServicePlan, type ServicePlan, startsAt } from "./service-plan.ts";
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
  // Must begin before the database prepares its statements.
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

/** Plays the life of every seed of a range. */
export async function runServiceSeeds({ from, to }: SeedRange): Promise<SeedsPlayed> {
  let events = 0;
  const broken: { seed: number; violation: string }[] = [];
  for (let seed = from; seed < to; seed++) {
    try {
      const lived = await playService(drawServicePlan(seed));
      events += lived.events;
      if (lived.violations.length > 0) broken.push({ seed, violation: lived.violations.join("; ") });
    } catch (error) {
      broken.push({ seed, violation: error instanceof Error ? error.message : String(error) });
    }
  }
  return { seeds: to - from, events, broken };
}
