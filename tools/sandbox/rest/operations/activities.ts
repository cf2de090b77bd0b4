import { ZERO_SHA } from "../../git/git-object.ts";
import type { Activity } from "../../world/activity.ts";
import type { Handlers } from "../operation.ts";
import { renderAccount } from "../render/account.ts";
import { isoTime, nodeId, type Urls } from "../urls.ts";

function renderActivity(urls: Urls, { id, type, ref, before, after, actor, at }: Activity) {
  return {
    id,
    node_id: nodeId("Push", id),
    before: before ?? ZERO_SHA,
    after: after ?? ZERO_SHA,
    ref,
    timestamp: isoTime(at),
    activity_type: type,
    actor: renderAccount(urls, actor),
  };
}

export const activityOperations: Handlers<"repos/list-activities"> = {
  "repos/list-activities": ({ urls, repository, query }) => {
    const { ref, actor, activity_type, direction = "desc", per_page = 30 } = query;
    const wanted = repository.activities.filter(
      (one) =>
        (ref === undefined || one.ref === ref || one.ref === `refs/heads/${ref}`) &&
        (actor === undefined || one.actor.login.toLowerCase() === actor.toLowerCase()) &&
        (activity_type === undefined || one.type === activity_type),
    );
    const ordered = direction === "desc" ? wanted.toReversed() : wanted;
    const page = ordered.slice(0, Math.min(Math.max(per_page, 1), 100));
    return { status: 200, body: page.map((one) => renderActivity(urls, one)) };
  },
};
