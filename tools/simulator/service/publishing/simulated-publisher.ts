import type { VirtualCalls } from "../virtual-calls.ts";
import type { ContentParts } from "./content-mutations.ts";
import type { Publisher } from "./publisher.ts";

interface SimulatedPublisherParts extends ContentParts {
  readonly calls: VirtualCalls;
}

/** Writes at once what the service's adapter would write in several calls. */
export function simulatedPublisher({ calls, comments, shown }: SimulatedPublisherParts): Publisher {
  return {
    putCheckRun: (_repo, id, content, mayExist) =>
      calls.change("putCheckRun", () => {
        const found = mayExist
          ? shown.listCheckRuns(content.headSha, Number.POSITIVE_INFINITY).at(-1)?.id
          : null;
        const known = id === null ? found : Number(id);
        if (known && shown.editCheckRun(known, content)) return String(known);
        return String(shown.addCheckRun(content));
      }),
    putComment: (_repo, pr, id, body, mayExist) =>
      calls.change("putComment", () => {
        const found = mayExist ? shown.listComments(pr, Number.POSITIVE_INFINITY) : [];
        const known = id === null ? found.at(-1)?.id : Number(id);
        for (const other of found) if (other.id !== known) shown.deleteComment(other.id);
        if (known && shown.editComment(known, body)) return String(known);
        return String(shown.addComment(pr, body));
      }),
    react: (_repo, nodeId, reaction) => calls.change("react", () => comments.react(nodeId, reaction)),
  };
}
