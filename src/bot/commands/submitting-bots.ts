import type { RepositoryFile } from "../../command/repository-file.ts";
import type { Commander } from "./authorize.ts";
import type { QueueAnswer } from "./read-queue.ts";

/** Whether a bot may give commands: the repository file lists its id, or the queue lists its id or login. */
export function isListedBot(
  { login, id }: Pick<Commander, "login" | "id">,
  file: RepositoryFile,
  queue: Pick<QueueAnswer, "allowedBotSubmitters"> | null,
): boolean {
  if (file.bots.includes(id)) return true;
  const names = [String(id), bare(login)];
  return queue?.allowedBotSubmitters.some((listed) => names.includes(bare(listed))) ?? false;
}

/** GitHub writes an App's login with `[bot]`, while people write its slug. Case does not matter in either. */
function bare(login: string): string {
  return login.toLowerCase().replace(/\[bot\]$/, "");
}
