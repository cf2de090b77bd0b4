import { Command, CommanderError, Help } from "commander";
import { exitCodesOf, wrongUsageCode } from "./exit-codes.ts";
import { type ListedCommand, tools } from "./load-tool.ts";
import { formatVersion, printable } from "./print-json.ts";
import { listenForStop } from "./signals.ts";
import { readVersion } from "./version.ts";

/**
 * Each command is loaded when it is called, so that it does not slow down the others. Every `load` is an import of the module that defines
 * the command.
 */
const commands: Readonly<Record<string, ListedCommand>> = {
  serve: { about: "serve the API, the bot and the dashboard (the default)", load: async () => defineServe },
  ...tools,
  login: {
    about: "sign in to a service with GitHub, for the commands that call it",
    load: async () => (await import("./remote/login.ts")).defineLogin,
  },
  logout: {
    about: "end this sign-in",
    load: async () => (await import("./remote/login.ts")).defineLogout,
  },
  pr: {
    about: "submit a pull request, follow it, and learn why it waits",
    load: async () => (await import("./remote/pr.ts")).definePr,
  },
  queue: {
    about: "list, create, show, pause and change the queue of a branch",
    load: async () => (await import("./remote/queue.ts")).defineQueue,
  },
  tests: {
    about: "list, show, quarantine and release flaky tests",
    load: async () => (await import("./remote/tests.ts")).defineTests,
  },
  audit: { about: "list who did what", load: async () => (await import("./remote/audit.ts")).defineAudit },
  mcp: {
    about: "serve tools for coding agents (Model Context Protocol) on standard input and output",
    load: async () => (await import("./remote/mcp.ts")).defineMcp,
  },
  token: {
    about: "create, list and revoke API tokens",
    load: async () => (await import("./commands/token.ts")).defineToken,
  },
  webhook: {
    about: "create, list and delete webhooks",
    load: async () => (await import("./commands/webhook.ts")).defineWebhook,
  },
  health: {
    about: "ask the service on this machine whether it is alive",
    load: async () => (await import("./commands/health.ts")).defineHealth,
  },
  migrate: {
    about: "show the migrations that the database lacks, and apply them",
    load: async () => (await import("./data/migrate.ts")).defineMigrate,
  },
  backup: {
    about: "write a copy of a SQLite database to a file",
    load: async () => (await import("./data/backup.ts")).defineBackup,
  },
  restore: {
    about: "replace a SQLite database with such a backup",
    load: async () => (await import("./data/restore.ts")).defineRestore,
  },
  copy: {
    about: "copy a database to another one, such as from SQLite to PostgreSQL",
    load: async () => (await import("./data/copy.ts")).defineCopy,
  },
  doctor: {
    about: "diagnose why a queue does not work",
    load: async () => (await import("./commands/doctor.ts")).defineDoctor,
  },
  replay: {
    about: "replay the recorded workload of a queue with other settings",
    load: async () => (await import("./commands/replay.ts")).defineReplay,
  },
  completion: {
    about: "print the completions of a shell",
    load: async () => (await import("./completion.ts")).defineCompletion,
  },
};

/**
 * Runs a command of `trainyard`. Returns the exit code.
 *
 * @param argv the words after `trainyard`
 */
export async function runProgram(argv: readonly string[]): Promise<number> {
  const [first = "serve", second = ""] = argv;
  const names = first === "completion" ? listedNames() : [first === "help" ? second : first];
  try {
    process.exitCode = 0;
    const program = await createProgram(names, argv.includes("--json"));
    await program.parseAsync(argv.length === 0 ? ["serve"] : argv, { from: "user" });
    return Number(process.exitCode);
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode;
  }
}

/**
 * Creates the tree of commands.
 *
 * @param names the commands that are loaded, with everything below them. The others have only a name and a description
 * @param json whether a wrong call is reported as JSON
 */
export async function createProgram(
  names: readonly string[] = Object.keys(commands),
  json = false,
): Promise<Command> {
  const outputError = (text: string, write: (text: string) => void) => {
    const detail = `${withoutSecret(text).trimEnd().replace("\n(", " (").replace(/\.$/, "")}; see --help`;
    const failure = { formatVersion, code: "WRONG_USAGE", detail: printable(detail) };
    write(`${json ? JSON.stringify(failure) : detail}\n`);
  };
  const program = new Command("trainyard")
    .description("A self-hosted merge queue and flaky-test service for GitHub.")
    .configureHelp({ subcommandTerm: (of) => new Help().subcommandTerm(of).replace(" [options]", "") })
    .configureOutput({ outputError });
  for (const [name, { about, isHidden, load }] of Object.entries(commands)) {
    const command = program.command(name, { hidden: isHidden ?? false }).description(about);
    if (names.includes(name)) (await load())(command);
  }
  program.command("version", { hidden: true }).action(() => console.log(readVersion()));
  for (const command of [program, ...allBelow(program)]) finish(command);
  return program;
}

/** Hides wrong addresses of databases or services, which may contain a password. */
function withoutSecret(text: string): string {
  const ofVariable = /(?<=option '[^']*<(?:database|url)>') value '.*'(?= from env '\w+' is invalid)/s;
  const ofOption = /(?<=option '[^']*<(?:database|url)>') argument '.*'(?= is invalid)/s;
  return text.replace(ofVariable, "").replace(ofOption, "");
}

const listedNames = () => Object.keys(commands).filter((name) => !commands[name]?.isHidden);

/** All commands below one, its groups included. */
export function allBelow(command: Command): readonly Command[] {
  return command.commands.flatMap((child) => [child, ...allBelow(child)]);
}

/** The words after `trainyard`. */
export function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}`.trim() : "";
}

function finish(command: Command): void {
  const path = pathOf(command);
  command.version(readVersion(), "--version", "print the version").exitOverride((error) => {
    const code = error.exitCode === 0 ? 0 : wrongUsageCode(path);
    throw new CommanderError(code, error.code, error.message);
  });
  if (command.parent) command.options.at(-1)?.hideHelp();
  if (command.commands.length > 0) return;
  const lines = [...exitCodesOf(path)].map(([code, means]) => `  ${code}  ${means}`);
  command.addHelpText("after", `\nExit codes:\n${lines.join("\n")}`);
}

function defineServe(command: Command): void {
  const outputError = (text: string, write: (text: string) => void) =>
    write(`${text.trim()}; settings are environment variables, such as PORT=3000\n`);
  command
    .configureOutput({ outputError })
    .addHelpText(
      "after",
      `
Serves until it is stopped. It takes its settings from the environment and from a file .env in the current directory, such as
PORT=3000. Without a GitHub App it shows a page that creates one.`,
    )
    .action(async () => {
      const stop = listenForStop();
      process.exitCode = await (await import("./commands/serve.ts")).serve(stop);
    });
}
