import type { QueueAddress } from "../../service/runtime/directory.ts";
import { isCodeHostFailure } from "../../service/workers/retry.ts";
import type { DashboardServices } from "../dashboard-services.ts";
import type { Viewer } from "../session.ts";

/**
 * Returns the queues that a viewer may see. The list is incomplete while GitHub does not answer for some repositories, such as those of an
 * owner whose rate limit is used up.
 *
 * @throws a code host failure when GitHub answers for none
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
