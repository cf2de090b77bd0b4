import type { RepositoryFile } from "../command/repository-file.ts";
import type { Commander } from "./authorize.ts";
import type { QueueAnswer } from "./read-queue.ts";

/** Whether a bot may give commands: the repository file names its id, or the queue its id or its login. */
export function isListedBot(
  { login, id }: Pick<Commander, "login" | "id">,
  file: RepositoryFile,
  queue: Pick<QueueAnswer, "allowedBotSubmitters"> | null,
): boolean {
  if (file.bots.includes(id)) return true;
  const names = [String(id), bare(login)];
  return queue?.allowedBotSubmitters.some((listed) => names.includes(bare(listed))) ?? false;
}

/** GitHub writes an App's login with `[bot]`, people write its slug; case counts in neither. */
function bare(login: string): string {
  return login.toLowerCase().replace(/\[bot\]$/, "");
}
