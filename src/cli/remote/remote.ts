import { Command, CommanderError } from "commander";
import { queue as createQueue } from "../commands/queue.ts";
import { auditCommand } from "./audit.ts";
import { mcpCommand } from "./mcp.ts";
import { prCommand } from "./pr.ts";
import { queueCommands } from "./queue.ts";
import { exitCodes } from "./service.ts";
import { testsCommand } from "./tests.ts";

const commands = {
  audit: auditCommand,
  mcp: mcpCommand,
  pr: prCommand,
  queue: queueGroup,
  tests: testsCommand,
} as const;

/** The commands that call a service through its API. */
export async function remote(name: keyof typeof commands, args: readonly string[]): Promise<number> {
  // This one reads its own options, because it works on the database of this machine.
  if (name === "queue" && args[0] === "create") return createQueue(args);
  const program = new Command("trainyard").addCommand(commands[name]());
  const all = [program, ...program.commands, ...program.commands.flatMap(({ commands }) => commands)];
  const outputError = (text: string, write: (text: string) => void) => write(text.replace("\n(", " ("));
  for (const command of all) command.exitOverride().configureOutput({ outputError });
  try {
    process.exitCode = exitCodes.done;
    await program.parseAsync([name, ...args], { from: "user" });
    return Number(process.exitCode);
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode;
  }
}

function queueGroup(): Command {
  const queue = new Command("queue").description("the queue of a branch");
  queue
    .command("create <owner/name@branch>")
    .description("create it, with the database of this machine; `queue create --help` describes it");
  queueCommands(queue);
  return queue;
}
