import type { BotParts } from "../parts.ts";

/**
 * Whether a queue of a delivery's repository cannot work at all, as while the App is suspended.
 *
 * @param stream `owner/name#number` or `owner/name/event`
 */
export async function meetsObstacle(
  { queuesOf, reach, settings }: Pick<BotParts, "queuesOf" | "reach" | "settings">,
  stream: string,
): Promise<boolean> {
  const [owner = "", rest = ""] = stream.split("/");
  const [name = ""] = rest.split("#");
  for (const { id } of await queuesOf({ host: settings.host, owner, name }))
    if (await reach.suspect(id)) return true;
  return false;
}
