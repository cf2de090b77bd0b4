import type { Command } from "commander";

/** Adds the option that answers the question of `confirm`. */
export function withConfirmation(command: Command): Command {
  return command.option("--yes", "do not ask; needed without a terminal, and with --json");
}

/**
 * Tells what a command will do, and asks once whether it may.
 *
 * @param describe returns sentences, or null if nothing would change; called only if `--yes` is missing
 * @returns false, after that was printed, if the answer is no
 * @throws CommanderError when there is nobody to ask
 */
export async function confirm(command: Command, describe: () => Promise<string | null>): Promise<boolean> {
  const { yes, json } = command.opts<{ readonly yes?: true; readonly json?: true }>();
  if (yes) return true;
  const effect = await describe();
  if (effect === null) return true;
  if (json || !process.stdin.isTTY || !process.stderr.isTTY)
    command.error(`${effect} Nothing was changed: add --yes to do it`);
  process.stderr.write(`${effect}\nContinue? [y/N] `);
  // A terminal passes on whole lines.
  for await (const line of process.stdin) {
    if (/^\s*y(es)?\s*$/i.test(String(line))) return true;
    break;
  }
  console.error("Nothing was changed.");
  return false;
}
