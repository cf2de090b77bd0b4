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
    putComment: (_repo, pr, posted, { body, mark: wanted }, mayExist) =>
      calls.change("putComment", () => {
        const found = mayExist ? shown.listComments(pr, Number.POSITIVE_INFINITY) : [];
        const mark = wanted ?? found.findLast((one) => one.mark !== null)?.mark ?? posted?.mark ?? null;
        const same = found.filter((one) => one.mark === mark);
        const known = posted?.mark === mark ? Number(posted.id) : same.at(-1)?.id;
        for (const other of same) if (other.id !== known) shown.deleteComment(other.id);
        if (posted && posted.mark !== mark) shown.minimizeComment(Number(posted.id));
        if (known && shown.editComment(known, body)) return { id: String(known), mark };
        return { id: String(shown.addComment(pr, body, mark)), mark };
      }),
    react: (_repo, nodeId, reaction) => calls.change("react", () => comments.react(nodeId, reaction)),
  };
}
