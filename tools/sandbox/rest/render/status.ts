import type { CommitStatus } from "../../world/checks/check.ts";
import type { Repository } from "../../world/repository.ts";
import { isoTime, nodeId, type Urls } from "../urls.ts";
import { renderAccount } from "./account.ts";
import type { Schema } from "./schema-types.ts";

/** Renders a status as the combined status lists it. */
export function renderSimpleStatus(urls: Urls, repository: Repository, status: CommitStatus) {
  return {
    url: `${urls.repository(repository)}/statuses/${status.sha}`,
    avatar_url: `${urls.base}/avatars/u/${status.creator.id}`,
    id: status.id,
    node_id: nodeId("StatusContext", status.id),
    state: status.state,
    description: status.description,
    target_url: status.targetUrl,
    context: status.context,
    created_at: isoTime(status.createdAt),
    updated_at: isoTime(status.createdAt),
  } satisfies Schema<"simple-commit-status">;
}

export function renderStatus(urls: Urls, repository: Repository, status: CommitStatus) {
  return { ...renderSimpleStatus(urls, repository, status), creator: renderAccount(urls, status.creator) };
}
