import { nameKey } from "../../engine/model/names.ts";
/** The accounts that a list of bots may name: by numeric id or by login. */
export interface BotAccount {
  readonly login: string;
  readonly id: number;
}

/** Whether a bot may give commands: the repository file lists its id (`bots`), or the queue lists its id or login (`allowed`). */
export function isListedBot(
  { login, id }: BotAccount,
  { bots, allowed }: { readonly bots: readonly number[]; readonly allowed: readonly string[] },
): boolean {
  if (bots.includes(id)) return true;
  const names = [String(id), bare(login)];
  return allowed.some((listed) => names.includes(bare(listed)));
}

/** GitHub writes an App's login with `[bot]`, while people write its slug. Case does not matter in either. */
function bare(login: string): string {
  return nameKey(login).replace(/\[bot\]$/, "");
}
