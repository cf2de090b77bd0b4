import type { QueueState } from "../model/queue.ts";
import { beliefSearches } from "./beliefs/search-beliefs.ts";
import { blockModelOf } from "./blocks/blocks.ts";
import type { CulpritSearch } from "./culprit-search.ts";
import { fixedSearches } from "./fixed/search-fixed.ts";
import { laneModelOf } from "./lanes/lane-model.ts";
import { policyOf } from "./policy-of.ts";

/** Returns the searches for the pull requests that made tests fail, with their evidence. */
export function searchesOf(state: QueueState): readonly CulpritSearch[] {
  const { name } = policyOf(state);
  switch (name) {
    case "fixed":
      return fixedSearches(state);
    case "lanes":
      return beliefSearches(laneModelOf(state));
    case "blocks":
      return beliefSearches(blockModelOf(state));
  }
}
