import type { RepositoryRef } from "../../engine/model/queue.ts";
import type { BotParts } from "../parts.ts";

/**
 * Whether no queue of a delivery's repository can work at all, as while the App is suspended.
 *
 * @param stream `owner/name#number` or `owner/name/event`
 */
export async function meetsObstacle(
  { queuesOf, reach, settings }: Pick<BotParts, "queuesOf" | "reach" | "settings">,
  stream: string,
): Promise<boolean> {
  const queues = await queuesOf(repositoryOfStream(stream, settings.host));
  for (const { id } of queues) if (!(await reach.suspect(id))) return false;
  return queues.length > 0;
}

/** The repository of a delivery, with its name in lower case. */
export function repositoryOfStream(stream: string, host: string): RepositoryRef {
  const [owner = "", rest = ""] = stream.split("/");
  const [name = ""] = rest.split("#");
  return { host, owner, name };
}
