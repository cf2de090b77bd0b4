import type { SeedRange, SeedsPlayed } from "../soak/run-seeds.ts";
import { playService } from "./play-service.ts";
import { drawServicePlan } from "./service-plan.ts";

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
