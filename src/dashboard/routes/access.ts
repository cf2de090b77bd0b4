import type { QueueAddress } from "../../service/runtime/directory.ts";
import type { DashboardServices } from "../dashboard-services.ts";
import type { Viewer } from "../session.ts";

/**
 * How a visitor may see the pages of a queue: as somebody who may read the repository, or as anyone, because its page is public. Null: not
 * at all. The queue may not exist.
 */
export async function accessTo(
  queues: Pick<DashboardServices["queues"], "isPagePublic">,
  viewer: Viewer | null,
  queue: QueueAddress,
): Promise<"member" | "public" | null> {
  if (await viewer?.mayShow(queue.repo)) return "member";
  return (await queues.isPagePublic(queue)) ? "public" : null;
}
