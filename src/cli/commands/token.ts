import { type Command, InvalidArgumentError, Option } from "commander";
import { stateOfToken, Tokens, tokenChanges, tokenScopes } from "../../service/access/tokens.ts";
import type { TokenRecord, TokenScope } from "../../store/access/token-store.ts";
import { openStore } from "../../store/sqlite/open-store.ts";
import { confirm, withConfirmation } from "../confirm.ts";
import { nameDatabase, requireDatabaseUrl } from "../named-database.ts";
import { noteInAuditLog } from "../note-in-audit-log.ts";
import { printable, printerOf, printFailure, printJson } from "../print-json.ts";
import { renderTable } from "../render-table.ts";

const maxDays = 36_500;

/** Adds the subcommands of `trainyard token`, which issue, list and revoke API tokens. */
export function defineToken(command: Command): void {
  command.addHelpText("after", "\nThe database is the one in DATABASE_URL.");
  command
    .command("create")
    .description("make a token, and print it once")
    .requiredOption(
      "--organisation <owner>",
      "the owner of the repositories that it gives access to",
      readOwner,
    )
    .option("--name <name>", "what it is for", "unnamed")
    .addOption(
      new Option("--scopes <list>", `some of ${tokenScopes.join(",")}`)
        .argParser(readScopes)
        .default(["read", "submit"], "read,submit"),
    )
    .option("--expires-in-days <days>", "after which it is no longer valid", readDays)
    .option("--json", "print the token as JSON")
    .action((options: NewToken) => onTokens(false, (opened) => create(opened, options)));
  command
    .command("list")
    .description("list the tokens, without their secrets")
    .option("--organisation <owner>", "only the tokens of this owner", readOwner)
    .option("--json", "print each token as a line of JSON")
    .action(({ organisation, json }: { readonly organisation?: string; readonly json?: true }) =>
      onTokens(true, async ({ tokens }) => list(await tokens.list(organisation ?? null), json ?? false)),
    );
  withConfirmation(command.command("revoke"))
    .description("end a token now")
    .argument("<id>", "its id, as in token list, or the token itself")
    .option("--json", "print the revoked token as JSON, without its secret")
    .addHelpText("after", "\nRevoking a revoked token changes nothing, and succeeds.")
    .action((id: string, { json }: { readonly json?: true }, called: Command) =>
      onTokens(true, (opened) => revoke(opened, id, called, json)),
    );
}

interface NewToken {
  readonly organisation: string;
  readonly name: string;
  readonly scopes: readonly TokenScope[];
  readonly expiresInDays?: number;
  readonly json?: true;
}

interface Opened {
  readonly tokens: Tokens;
  readonly note: (action: "createToken" | "revokeToken", token: TokenRecord) => Promise<void>;
  /** A description of the database for people. */
  readonly database: string;
}

async function onTokens(
  mustExist: boolean,
  run: (opened: Opened) => number | Promise<number>,
): Promise<void> {
  const databaseUrl = requireDatabaseUrl(mustExist);
  const store = await openStore(databaseUrl);
  const note: Opened["note"] = (action, record) => {
    const { organisation, id } = record;
    const changes = tokenChanges(record, action);
    return noteInAuditLog(store.audit, { organisation, action, token: id, changes });
  };
  const tokens = new Tokens(store.tokens, { now: () => Date.now() });
  try {
    process.exitCode = await run({ tokens, note, database: nameDatabase(databaseUrl) });
  } finally {
    await store.close();
  }
}

async function create(
  { tokens, note, database }: Opened,
  { organisation, name, scopes, expiresInDays, json }: NewToken,
): Promise<number> {
  const expiresAt = expiresInDays === undefined ? null : Date.now() + Math.round(expiresInDays * 86_400_000);
  const { token, record } = await tokens.create({ organisation, name, scopes, expiresAt });
  await note("createToken", record);
  console.error(`The token was written to the database ${database}.`);
  if (json) printJson({ token, ...visible(record) });
  else {
    console.log(token);
    console.error("Keep it: it is not shown again.");
  }
  return 0;
}

/** Reads the owner of repositories, of an option. */
export function readOwner(text: string): string {
  if (/^[\w.-]{1,100}$/.test(text)) return text;
  throw new InvalidArgumentError("It must be an owner's login, such as acme, without a repository.");
}

function readScopes(text: string): readonly TokenScope[] {
  return text.split(",").map((word) => {
    const scope = tokenScopes.find((known) => known === word.trim());
    if (scope) return scope;
    throw new InvalidArgumentError(`"${word.trim()}" is not a scope.`);
  });
}

function readDays(text: string): number {
  const days = Number(text);
  if (days > 0 && days <= maxDays) return days;
  throw new InvalidArgumentError(`It must be a positive number, at most ${maxDays}.`);
}

function list(records: readonly TokenRecord[], json: boolean): number {
  if (json) for (const record of records) printJson(visible(record));
  else
    printerOf(false)({}, () =>
      renderTable(
        records.map((record) => [
          record.id,
          record.organisation,
          printable(record.name),
          record.scopes.join(","),
          stateOfToken(record, Date.now()),
        ]),
      ),
    );
  return 0;
}

async function revoke(
  { tokens, note, database }: Opened,
  text: string,
  command: Command,
  json: true | undefined,
): Promise<number> {
  // People often paste the whole token instead of its id.
  const id = /^ty_([0-9a-z]{12})_/.exec(text)?.[1] ?? text;
  const known = (await tokens.list(null)).find((one) => one.id === id);
  if (!known) {
    // Revoked tokens are kept. So this one is misspelled, or of another database, and may still be valid.
    printFailure(
      "TOKEN_NOT_FOUND",
      `There is no token ${id.slice(0, 12)} in the database ${database}.`,
      json,
    );
    return 1;
  }
  const wasRevoked = known.revokedAt !== null;
  if (!wasRevoked && !(await confirm(command, async () => describeRevocation(known)))) return 1;
  const revoked = wasRevoked ? known : ((await tokens.revoke(id)) ?? known);
  if (!wasRevoked) await note("revokeToken", revoked);
  if (json) printJson(visible(revoked));
  else
    console.log(`The token "${printable(known.name)}" ${wasRevoked ? "was revoked before" : "is revoked"}.`);
  return 0;
}

function describeRevocation({ name, organisation, lastUsedAt }: TokenRecord): string {
  const used = lastUsedAt === null ? "never used" : `last used ${new Date(lastUsedAt).toISOString()}`;
  return `This revokes the token "${printable(name)}" of ${organisation}, ${used}. Whatever uses it is refused from then on. That cannot be undone.`;
}

function visible({ secretSha256: _, ...record }: TokenRecord): Omit<TokenRecord, "secretSha256"> {
  return record;
}
