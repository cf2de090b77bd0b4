import { accountOf, appOf } from "../../auth/caller.ts";
import { shuffle } from "../../seeded-draw.ts";
import type { CommitStatus } from "../../world/checks/check.ts";
import { createStatus } from "../../world/checks/checks.ts";
import type { Repository } from "../../world/repository.ts";
import type { Handlers } from "../operation.ts";
import { paginate } from "../paginate.ts";
import { Refusal, validationFailed } from "../refusal.ts";
import { renderRepository } from "../render/repository.ts";
import { renderSimpleStatus, renderStatus } from "../render/status.ts";
import { commitOrRefuse } from "../resolve-commit.ts";

type StatusOperation =
  | "repos/create-commit-status"
  | "repos/get-combined-status-for-ref"
  | "repos/list-commit-statuses-for-ref";

const MAX_DESCRIPTION = 140;
const MAX_PER_CONTEXT = 1000;

const latestByContext = (repository: Repository, sha: string): CommitStatus[] => [
  ...new Map(repository.statusesOf(sha).map((status) => [status.context, status])).values(),
];

/** A commit without any status counts as pending. */
function combinedState(statuses: readonly CommitStatus[]): "success" | "failure" | "pending" {
  if (statuses.some(({ state }) => state === "failure" || state === "error")) return "failure";
  return statuses.length > 0 && statuses.every(({ state }) => state === "success") ? "success" : "pending";
}

export const statusOperations: Handlers<StatusOperation> = {
  "repos/create-commit-status": async ({ world, urls, caller, path, body, repository }) => {
    const { sha } = await commitOrRefuse(repository, path.sha);
    const context = body.context ?? "default";
    if ((body.description?.length ?? 0) > MAX_DESCRIPTION) {
      const message = `description is too long (maximum is ${MAX_DESCRIPTION} characters)`;
      throw validationFailed({ resource: "Status", field: "description", code: "custom", message });
    }
    if (repository.statusesOf(sha).filter((one) => one.context === context).length >= MAX_PER_CONTEXT) {
      throw new Refusal(422, "This SHA and context has reached the maximum number of statuses.");
    }
    const status = await createStatus(world, repository, {
      sha,
      context,
      state: body.state,
      description: body.description ?? null,
      targetUrl: body.target_url ?? null,
      creator: accountOf(caller),
      app: appOf(caller),
    });
    return { status: 201, body: renderStatus(urls, repository, status) };
  },

  "repos/get-combined-status-for-ref": async (call) => {
    const { world, urls, path, repository } = call;
    const { sha } = await commitOrRefuse(repository, path.ref);
    const statuses = shuffle(world.seed, latestByContext(repository, sha), ({ context }) => context);
    const { page, headers } = paginate(call, statuses);
    const url = urls.repository(repository);
    return {
      status: 200,
      headers,
      body: {
        state: combinedState(statuses),
        statuses: page.map((status) => renderSimpleStatus(urls, repository, status)),
        sha,
        total_count: statuses.length,
        repository: renderRepository(urls, repository),
        commit_url: `${url}/commits/${sha}`,
        url: `${url}/commits/${sha}/status`,
      },
    };
  },

  "repos/list-commit-statuses-for-ref": async (call) => {
    const { urls, path, repository } = call;
    const { sha } = await commitOrRefuse(repository, path.ref);
    const { page, headers } = paginate(call, [...repository.statusesOf(sha)].reverse());
    return { status: 200, body: page.map((status) => renderStatus(urls, repository, status)), headers };
  },
};
