import { nearestName } from "../command/option-problem.ts";

/**
 * Describes in one line that there is no such command.
 *
 * @param usage lists the commands, each at the start of a line after two spaces
 */
export function renderUnknownCommand(command: string, usage: string): string {
  const known = [...usage.matchAll(/^ {2}([a-z-]+)/gm)].map(([, name = ""]) => name);
  const nearest = nearestName(command.replace(/^-+/, ""), known);
  const hint = nearest === null ? "" : ` Did you mean "${nearest}"?`;
  const kind = command.startsWith("-") ? "option" : "command";
  return `There is no ${kind} "${command}".${hint} "trainyard --help" lists the commands.`;
}
