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
  const [owner = "", rest = ""] = stream.split("/");
  const [name = ""] = rest.split("#");
  const queues = await queuesOf({ host: settings.host, owner, name });
  for (const { id } of queues) if (!(await reach.suspect(id))) return false;
  return queues.length > 0;
}
