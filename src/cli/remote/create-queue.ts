import { type Command, InvalidArgumentError, Option } from "commander";
import type { AnswerOf, TrainyardClient } from "../../client/client.ts";
import type { OutcomeName } from "../exit-codes.ts";
import { loadEnvFile } from "../load-env-file.ts";
import { ownAddress } from "../own-address.ts";
import { renderDiagnosis } from "../render-diagnosis.ts";
import {
  answers,
  connect,
  onOrganisation,
  type PlaceOptions,
  readWhole,
  secretFor,
  withAddress,
} from "./service.ts";

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
The service has to run. Those who have run \`trainyard login\` have to administer the repository. Without a sign-in and without
TRAINYARD_TOKEN, run it on the machine of the service: it uses a token that is valid for this call only and is written to the
database in DATABASE_URL. All settings can be changed later: trainyard queue set.`,
    )
    .action(createQueue);
}

function createQueue({ host, owner, name, targetBranch }: NewPlace, options: CreateOptions): Promise<void> {
  return onOrganisation(options, async ({ client: own, print }) => {
    const create = async (client: TrainyardClient): Promise<OutcomeName> => {
      const created = await client.createQueue({
        repo: { host: host ?? (process.env.GHE_HOST || "github.com"), owner, name },
        targetBranch,
        ...(options.concurrency === undefined ? {} : { concurrency: options.concurrency }),
        ...(options.mode === undefined ? {} : { mode: options.mode }),
      });
      print(created, () => [render(`${owner}/${name}@${targetBranch}`, created)]);
      return hasErrors(created) ? "foundErrors" : "done";
    };
    if (secretFor(options)) return create(own);
    // A `.env` of a checkout may name the database, but not another machine as the place where the token goes.
    const { HOST } = process.env;
    loadEnvFile();
    const { url = ownAddress({ HOST, PORT: process.env.PORT }) } = options;
    const { withOwnToken } = await import("../own-token.ts");
    return withOwnToken(owner, (token) => create(connect({ url, token })));
  });
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
