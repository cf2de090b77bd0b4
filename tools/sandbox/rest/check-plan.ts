import type { Repository } from "../world/repository.ts";
import { Refusal } from "./refusal.ts";

/** @throws a 403 refusal for a private repository whose plan does not include rules */
export function checkPlan({ plan }: Repository): void {
  if (plan === "free")
    throw new Refusal(403, "Upgrade to GitHub Pro or make this repository public to enable this feature.");
}
