import { offTheLine } from "../../fold/entry-index.ts";
import type { PolicyFold } from "../../policy-fold.ts";
import { endBisection, narrowBisection, startBisection } from "./evolve-bisection.ts";

/** An entry keeps its place in the line until its run is discarded. */
export const fixedFold: PolicyFold = {
  entryRequeued: (state) => state,
  runDiscarded(state, { id, members }) {
    const placed = members.filter((pr) => state.entries.get(pr)?.runId === id);
    return placed.reduce(offTheLine, state);
  },
  learn(_before, after, { data, at }) {
    switch (data.type) {
      case "bisection_started":
        return startBisection(after, data, at);
      case "bisection_narrowed":
        return narrowBisection(after, data);
      case "bisection_ended":
        return endBisection(after, data.bisectionId);
      default:
        return after;
    }
  },
};
