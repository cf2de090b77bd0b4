import type { RepositoryFile } from "../../command/repository-file.ts";
import { isListedBot as isListed } from "../../service/access/listed-bot.ts";
import type { Commander } from "./authorize.ts";
import type { QueueAnswer } from "./read-queue.ts";

/** Whether a bot may give commands: the repository file lists its id, or the queue lists its id or login. */
export function isListedBot(
  commander: Pick<Commander, "login" | "id">,
  { bots }: RepositoryFile,
  queue: Pick<QueueAnswer, "allowedBotSubmitters"> | null,
): boolean {
  return isListed(commander, { bots, allowed: queue?.allowedBotSubmitters ?? [] });
}
