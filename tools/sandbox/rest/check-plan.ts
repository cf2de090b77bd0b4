import type { Repository } from "../world/repository.ts";
import { Refusal } from "./refusal.ts";

/** Refuses to tell the rules of a private repository whose plan has none. */
export function checkPlan({ plan }: Repository): void {
  if (plan === "free")
    throw new Refusal(403, "Upgrade to GitHub Pro or make this repository public to enable this feature.");
}
