import { type Command, InvalidArgumentError, Option } from "commander";
import type { AnswerOf, RequestOf } from "../../client/client.ts";
import { loadEnvFile } from "../load-env-file.ts";
import { renderDiagnosis } from "../render-diagnosis.ts";
import { answers, onOrganisation, type PlaceOptions, readWhole, withAddress } from "./service.ts";

interface CreateOptions extends Pick<PlaceOptions, "url"> {
  readonly concurrency?: number;
  readonly mode?: "single" | "parallel";
  readonly json?: true;
}

interface NewPlace {
  readonly host: string | undefined;
  readonly owner: string;
  readonly name: string;
  readonly targetBranch: string;
}

/** Adds the options of `trainyard queue create`, and what it does. */
export function defineCreate(command: Command): void {
  answers.set(command, "createQueue");
  withAddress(command)
    .description("create the queue of a branch")
    .argument("<owner/name@branch>", "its repository and branch", readNewPlace)
    .option("--concurrency <n>", "how many tests run at once", readWhole)
    .addOption(
      new Option("--mode <mode>", "whether pull requests wait for all or for related ones").choices([
        "single",
        "parallel",
      ]),
    )
    .option("--json", "print the answer of createQueue as JSON")
    .addHelpText(
      "after",
      `
The service has to run. Without TRAINYARD_TOKEN, run it on the machine of the service: it uses a token that is valid for this call
only and is written to the database in DATABASE_URL. All settings can be changed later: trainyard queue set.`,
    )
    .action(createQueue);
}

async function createQueue(
  { host, owner, name, targetBranch }: NewPlace,
  options: CreateOptions,
): Promise<void> {
  const create = (token?: string) => {
    const queue: RequestOf<"createQueue"> = {
      repo: { host: host ?? (process.env.GHE_HOST || "github.com"), owner, name },
      targetBranch,
      ...(options.concurrency === undefined ? {} : { concurrency: options.concurrency }),
      ...(options.mode === undefined ? {} : { mode: options.mode }),
    };
    return onOrganisation(
      { ...options, ...(token === undefined ? {} : { token }) },
      async ({ client, print }) => {
        const created = await client.createQueue(queue);
        print(created, () => [render(`${owner}/${name}@${targetBranch}`, created)]);
        return hasErrors(created) ? "foundErrors" : "done";
      },
    );
  };
  if (process.env.TRAINYARD_TOKEN) return create();
  // Loaded only here: a `.env` of a checkout must not decide where a token of the environment is sent, but this token belongs to the
  // database that the file names.
  loadEnvFile();
  return (await import("../own-token.ts")).withOwnToken(owner, create);
}

function readNewPlace(text: string): NewPlace {
  const [, host, owner, name, targetBranch] = /^(?:([^/\s]+)\/)?([\w.-]+)\/([\w.-]+)@(.+)$/.exec(text) ?? [];
  if (owner && name && targetBranch) return { host, owner, name, targetBranch };
  throw new InvalidArgumentError("It is not of the form OWNER/NAME@BRANCH.");
}

function render(name: string, created: AnswerOf<"createQueue">): string {
  const { concurrency, warnings, findings, unexamined } = created;
  const tests = concurrency === 1 ? "one test" : `${concurrency} tests`;
  const isExamined = findings.length + unexamined.length > 0;
  return [
    hasErrors(created)
      ? `The queue of ${name} was created, but it cannot work yet.`
      : `The queue of ${name} is ready, with up to ${tests} at once.`,
    ...warnings.map((warning) => `Warning: ${warning}`),
    ...(isExamined ? ["", renderDiagnosis(name, { findings, unexamined }), ""] : []),
    hasErrors(created)
      ? `Fix the errors; \`trainyard doctor ${name}\` examines it again.`
      : `Comment \`${process.env.TRAINYARD_COMMAND_PREFIX || "/trainyard"} merge\` on a pull request to queue it.`,
  ].join("\n");
}

function hasErrors({ findings }: AnswerOf<"createQueue">): boolean {
  return findings.some(({ severity }) => severity === "error");
}
