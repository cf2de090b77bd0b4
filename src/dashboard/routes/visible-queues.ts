import type { QueueAddress } from "../../service/runtime/directory.ts";
import { isCodeHostFailure } from "../../service/workers/retry.ts";
import type { DashboardServices } from "../dashboard-services.ts";
import type { Viewer } from "../session.ts";

/**
 * Returns the queues that a viewer may see. They are not complete while GitHub does not tell about some repositories, such as those of
 * one owner whose limit of calls is used up.
 *
 * @throws a code host failure when GitHub tells about none
 */
export async function visibleTo(
  { overview }: Pick<DashboardServices, "overview">,
  viewer: Viewer,
): Promise<{ readonly visible: readonly QueueAddress[]; readonly isComplete: boolean }> {
  const all = await overview.list();
  const answers = await Promise.allSettled(all.map(({ repo }) => viewer.mayShow(repo)));
  const failures = answers.filter((answer) => answer.status === "rejected");
  const fatal = failures.find(({ reason }) => !isCodeHostFailure(reason) || failures.length === all.length);
  if (fatal) throw fatal.reason;
  const visible = all.filter((_, index) => {
    const answer = answers[index];
    return answer?.status === "fulfilled" && answer.value;
  });
  return { visible, isComplete: failures.length === 0 };
}
