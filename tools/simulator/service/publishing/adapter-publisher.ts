import { CheckRunPublisher } from "../../../../src/github/checks/check-run.ts";
import { CallLimiter, MemoryCallLimits } from "../../../../src/github/client/call-limiter.ts";
import type { ContentBudget } from "../../../../src/github/client/content-budget.ts";
import { type ContentPlace, ContentWriters } from "../../../../src/github/client/content-writer.ts";
import { NodeIds } from "../../../../src/github/client/node-ids.ts";
import { Commenter } from "../../../../src/github/pull-requests/comment.ts";
import { react } from "../../../../src/github/pull-requests/conversation.ts";
import type { InstalledRepository } from "../../../../src/ports/code-host/code-host.ts";
import { throwing } from "../octokit/octokit-errors.ts";
import { perProcess } from "../virtual-process.ts";
import type { Publisher } from "./publisher.ts";
import { PublishingOctokit, type PublishingParts } from "./publishing-octokit.ts";

export interface PublisherParts extends PublishingParts {
  readonly budget: ContentBudget;
}

/** The service's own adapter for GitHub, whose calls are simulated one by one. */
export function adapterPublisher({ budget, ...parts }: PublisherParts): Publisher {
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
