import type { ContentBudget } from "../../../../src/github/client/content-budget.ts";
import type { CodeHost } from "../../../../src/ports/code-host/code-host.ts";
import { createRandomSource } from "../../../../src/replay/workload/random-source.ts";
import type { ServicePlan } from "../service-plan.ts";
import { adapterPublisher, type PublisherParts } from "./adapter-publisher.ts";
import { simulatedPublisher } from "./simulated-publisher.ts";

/** Writes comments, checks and reactions. */
export type Publisher = Pick<CodeHost, "putCheckRun" | "putComment" | "react">;

/** Makes most comments wait. It applies in half of the lives in which the adapter writes. */
const scarce: ContentBudget = { perMinute: 12, perHour: 60 };
/** The limits of github.com. */
const usual: ContentBudget = { perMinute: 80, perHour: 500 };

/** The way in which a life's comments, checks and reactions are written. */
export function publisherOf(
  parts: Omit<PublisherParts, "budget" | "drawPart">,
  { seed, publishesByAdapter }: Pick<ServicePlan, "seed" | "publishesByAdapter">,
): Publisher {
  if (!publishesByAdapter) return simulatedPublisher(parts);
  const random = createRandomSource(seed * 391_554_107 + 59);
  const budget = random() < 0.5 ? usual : scarce;
  return adapterPublisher({ ...parts, budget, drawPart: random });
}
