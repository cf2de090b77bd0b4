import { CheckRunPublisher } from "../../../../src/github/checks/check-run.ts";
import { CallLimiter, MemoryCallLimits } from "../../../../src/github/client/call-limiter.ts";
import type { ContentBudget } from "../../../../src/github/client/content-budget.ts";
import { type ContentPlace, ContentWriters } from "../../../../src/github/client/content-writer.ts";
import { NodeIds } from "../../../../src/github/client/node-ids.ts";
import { Commenter } from "../../../../src/github/pull-requests/comment.ts";
import { react } from "../../../../src/github/pull-requests/conversation.ts";
import type { CodeHost, InstalledRepository } from "../../../../src/ports/code-host/code-host.ts";
import { createRandomSource } from "../../../../src/replay/workload/random-source.ts";
import { throwing } from "../octokit/octokit-calls.ts";
import type { ServicePlan } from "../service-plan.ts";
import type { VirtualCalls } from "../virtual-calls.ts";
import { perProcess } from "../virtual-replicas.ts";
import { type ContentParts, PublishingOctokit, type PublishingParts } from "./publishing-octokit.ts";

/** Writes comments, checks and reactions. */
export type Publisher = Pick<CodeHost, "putCheckRun" | "putComment" | "react">;

/** Makes most comments wait. Used in half of the lives in which the adapter writes. */
const scarce: ContentBudget = { perMinute: 12, perHour: 60 };
/** The limits of github.com. */
const usual: ContentBudget = { perMinute: 80, perHour: 500 };

/** How comments, checks and reactions are written in a life. */
export function publisherOf(
  parts: Omit<PublisherParts, "budget" | "drawPart">,
  { seed, publishesByAdapter }: Pick<ServicePlan, "seed" | "publishesByAdapter">,
): Publisher {
  if (!publishesByAdapter) return simulatedPublisher(parts);
  const random = createRandomSource(seed * 391_554_107 + 59);
  const budget = random() < 0.5 ? usual : scarce;
  return adapterPublisher({ ...parts, budget, drawPart: random });
}

interface PublisherParts extends PublishingParts {
  readonly budget: ContentBudget;
}

/** The service's own adapter for GitHub, whose calls are simulated one by one. */
function adapterPublisher({ budget, ...parts }: PublisherParts): Publisher {
  const limits = new MemoryCallLimits();
  const memory = perProcess(() => ({
    ids: new NodeIds(),
    writers: new ContentWriters({
      limiter: new CallLimiter(limits, budget, parts.now),
      installation: octokitOf,
    }),
  }));
  return {
    putCheckRun: (repo, id, content, mayExist) =>
      throwing(() => new CheckRunPublisher(placeOf(repo)).put(id, content, mayExist)),
    putComment: (repo, ...comment) => throwing(() => new Commenter(placeOf(repo)).put(...comment)),
    react: (repo, nodeId, reaction) => throwing(() => react(memory().writers.of(repo), nodeId, reaction)),
  };

  function octokitOf(installationId: number) {
    return new PublishingOctokit(parts, installationId).client;
  }

  function placeOf(repo: InstalledRepository): ContentPlace {
    const { writers, ids } = memory();
    const at = { owner: repo.owner, repo: repo.name };
    return { octokit: octokitOf(repo.installationId), at, writer: writers.of(repo), ids };
  }
}

interface SimulatedPublisherParts extends ContentParts {
  readonly calls: VirtualCalls;
}

/** Writes at once what the adapter would write in several calls. */
function simulatedPublisher({ calls, comments, shown }: SimulatedPublisherParts): Publisher {
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
        // Without a known one, an earlier call may have written the comment before the answer was lost.
        const before = posted === null ? found.findLast((one) => one.mark !== mark)?.id : Number(posted.id);
        if (before && posted?.mark !== mark) shown.minimizeComment(before);
        if (known && shown.editComment(known, body)) return { id: String(known), mark };
        return { id: String(shown.addComment(pr, body, mark)), mark };
      }),
    react: (_repo, nodeId, reaction) => calls.change("react", () => comments.react(nodeId, reaction)),
  };
}
