import type { Command } from "commander";
import { openApiDocument } from "../src/api/openapi/document.ts";
import { exitCodesOf, outcomes } from "../src/cli/exit-codes.ts";
import { formatVersion } from "../src/cli/print-json.ts";
import { allBelow, createProgram, pathOf } from "../src/cli/program.ts";
import { answers } from "../src/cli/remote/service.ts";
import { type CliShape, cliShapes } from "./cli-shapes.ts";
import { formatSource } from "./format-source.ts";

const introduction = `# The command line

<!-- Made of the commands in src/cli by npm run build. -->

\`trainyard pr\`, \`queue\`, \`tests\` and \`audit\` call a service through its API, from any machine; so does \`doctor\`, except on the machine of the service. The others work on the machine of the service, or on a local GitHub.

\`\`\`text
export TRAINYARD_URL=https://trainyard.example.com
trainyard login
\`\`\`

\`trainyard login\` signs you in with GitHub: the commands then do what GitHub lets you do ([authentication](../how-to/authentication.md#the-command-line)). Programs set \`TRAINYARD_TOKEN\` to an API token instead, which \`trainyard token create --organisation OWNER --scopes read,submit\` makes on the machine of the service. To create and change a queue it needs \`queue:admin\`.

Both variables are read from the environment only. A \`.env\` in the current folder is not read: it could come with a checkout, and send your token elsewhere.

A proxy that \`HTTPS_PROXY\` or \`HTTP_PROXY\` names is used, except for this machine and the hosts in \`NO_PROXY\`; before Node.js 24.14, set \`NODE_USE_ENV_PROXY=1\`, too.

In a checkout, the commands find the repository by the remote \`origin\`, the queue by the default branch, and the pull request by the branch that is checked out. \`--repo OWNER/NAME\`, \`--branch BRANCH\` and a number name them elsewhere; before the owner, \`--repo\` may name the host of an Enterprise Server.

\`source <(trainyard completion bash)\` completes commands and options, also in zsh and fish. Misspelled ones are answered with the nearest. Without a terminal, or with \`NO_COLOR\`, there are no colours.

\`queue delete\`, \`token revoke\` and \`webhook delete\` tell what they will do, and ask. Without a terminal, and with \`--json\`, they need \`--yes\`. Where nothing is left to do, they say so and succeed without asking: the queue or the webhook does not exist, or the token is revoked already. A token that the database does not know is a failure (\`TOKEN_NOT_FOUND\`), because revoked tokens are kept: it is misspelled or of another service, and may still be valid.

## Output for programs

With \`--json\`, every command prints one object on standard output, in one line. \`formatVersion\` in it is ${formatVersion} until a program that reads it would have to change. [cli.schema.json](cli.schema.json) describes the other fields, and the exit codes, for programs. Commands that call the service print the answer of the endpoint that their help names, whose shape the service describes at \`/docs\`. Progress is on standard error. Some print several objects, one on each line: \`token list\` and \`webhook list\` one for each, \`queue watch\` one for each change, \`simulate\` one for each policy.

A failure is \`{"formatVersion", "code", "detail"}\` on standard error. \`code\` is that of the API (\`/docs\` of the service), or one of these:

| code | means |
|---|---|
| \`WRONG_USAGE\` | the command is wrong, or needs \`--yes\` |
| \`NO_ANSWER\` | the service does not answer |
| \`UNEXPECTED_ANSWER\` | something else answers at its address |
| \`PLACE_UNKNOWN\` | the command does not know the repository or the pull request: name it |
| \`CALL_IMPOSSIBLE\` | something on this machine prevents the call, such as a proxy's address that is not valid |
| \`DATABASE_MISSING\`, \`DATABASE_UNUSABLE\`, \`DATABASE_IN_USE\`, \`DATABASE_DAMAGED\`, … | the database of this machine cannot be used |
| \`SCHEMA_NEWER\`, \`SCHEMA_OLDER\`, \`SCHEMA_INCOMPLETE\`, \`COPY_UNFINISHED\`, … | the database has to be treated first, as \`detail\` says |
| \`ENOSPC\`, \`EACCES\`, … | the operating system refuses it |

\`serve\` has no \`--json\`: it writes its log to standard error, by \`LOG_FORMAT\` as JSON. \`mcp\` speaks its own protocol, and \`completion\` prints a script.`;

const placeOptions = ["url", "repo", "branch"];
const commonOptions = ["url", "json", "version"];

/** Renders `docs/reference/cli.md` and `cli.schema.json`. */
export async function renderCli(): Promise<{ readonly page: string; readonly schema: string }> {
  const program = await createProgram();
  const isHidden = (command: Command): boolean =>
    ("_hidden" in command && command._hidden === true) ||
    (command.parent !== null && isHidden(command.parent));
  const commands = allBelow(program).filter((command) => command.commands.length === 0 && !isHidden(command));
  const rows = commands.map((command) => {
    const json = command.options.some(({ long }) => long === "--json") ? ", `--json`" : "";
    const names = command.options.map((option) => option.name());
    const hasPlace = placeOptions.every((name) => names.includes(name));
    const without = hasPlace ? [...placeOptions, ...commonOptions] : commonOptions;
    const options = command.options.filter((option) => !option.hidden && !without.includes(option.name()));
    const place = hasPlace ? ", place" : "";
    const listed = options.map(({ flags }) => `\`${flags}\``).join(", ");
    return `| \`${[pathOf(command), usageOf(command)].join(" ").trim()}\` | ${escapePipes(command.description())} | ${escapePipes(`${listed}${place}${json}`.replace(/^, /, ""))} |`;
  });
  const codes = Object.values(outcomes).map(({ code, means, of }) => {
    const whose =
      of === "all"
        ? "all"
        : of === "others"
          ? "the others, and `queue create`"
          : of.map((path) => `\`${path}\``).join(", ");
    return `| ${code} | ${means} | ${whose} |`;
  });
  const page = [
    introduction,
    `## Commands\n\n"Place" stands for \`--url\`, \`--repo\` and \`--branch\`. \`trainyard COMMAND --help\` describes each option.\n\n| command | does | options |\n|---|---|---|\n${rows.join("\n")}`,
    `## Exit codes\n\n| code | means | commands |\n|---|---|---|\n${codes.join("\n")}`,
  ].join("\n\n");
  return {
    page: `${page}\n`,
    schema: formatSource(JSON.stringify(schemaOf(commands)), "docs/reference/cli.schema.json"),
  };
}

const escapePipes = (text: string): string => text.replaceAll("|", "\\|");

function usageOf(command: Command): string {
  return command.registeredArguments
    .map((one) => [one.name(), one.variadic ? "…" : ""].join(""))
    .map((name, index) => (command.registeredArguments[index]?.required ? `<${name}>` : `[${name}]`))
    .join(" ");
}

interface Document {
  readonly paths: Readonly<
    Record<
      string,
      {
        readonly post: {
          readonly responses: {
            readonly 200: {
              readonly content: Readonly<Record<string, { readonly schema: { readonly $ref?: string } }>>;
            };
          };
        };
      }
    >
  >;
}

function schemaOf(commands: readonly Command[]): object {
  const { paths } = openApiDocument() as Document;
  const version = { const: formatVersion };
  const shapes = commands.flatMap((command) => {
    const own = cliShapes[pathOf(command)];
    if (own !== undefined) return [[pathOf(command), withVersion(own)] as const];
    const endpoint = answers.get(command);
    if (endpoint === undefined) return [];
    const pointer = `/paths/~1v1~1${endpoint}/post/responses/200/content/application~1json/schema`;
    const ref = paths[`/v1/${endpoint}`]?.post.responses[200].content["application/json"]?.schema.$ref;
    return [
      [
        pathOf(command),
        {
          type: "object",
          properties: { formatVersion: version },
          required: ["formatVersion"],
          "x-other-fields": `openapi.json${ref ?? `#${pointer}`}`,
        },
      ] as const,
    ];
  });
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "What trainyard prints with --json, by command, and its exit codes",
    description:
      "x-other-fields names the other fields in /openapi.json of the service. Later versions may add fields without another formatVersion.",
    $defs: {
      ...Object.fromEntries(shapes),
      failure: {
        type: "object",
        properties: {
          formatVersion: version,
          code: { type: ["string", "null"], description: "Null: an error that has no code." },
          detail: { type: "string" },
        },
        required: ["formatVersion", "code", "detail"],
        additionalProperties: false,
      },
    },
    "x-exit-codes": Object.fromEntries(
      commands.map((command) => [pathOf(command), Object.fromEntries(exitCodesOf(pathOf(command)))]),
    ),
  };
}

function withVersion({ properties = {}, required = [], ...shape }: CliShape): object {
  return {
    ...shape,
    properties: { formatVersion: { const: formatVersion }, ...properties },
    required: ["formatVersion", ...required],
  };
}
