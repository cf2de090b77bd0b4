import { parseArgs } from "node:util";
import { renderOptionProblem } from "../../command/option-problem.ts";
import { stateOfToken, Tokens, tokenChanges, tokenScopes } from "../../service/access/tokens.ts";

import { readDatabaseUrl } from "../../settings/database-url.ts";
import type { TokenRecord, TokenScope } from "../../store/access/token-store.ts";
import { openStore } from "../../store/sqlite/open-store.ts";
import { loadEnvFile } from "../load-env-file.ts";
import { nameDatabase, unsetDatabaseProblem } from "../named-database.ts";
import { noteInAuditLog } from "../note-in-audit-log.ts";

const usage = `Usage:
  trainyard token create --organisation OWNER [--name NAME] [--scopes ${tokenScopes.join(",")}] [--expires-in-days N] [--json]
  trainyard token list [--organisation OWNER] [--json]
  trainyard token revoke ID

OWNER is the owner of the repositories that the token gives access to. The database is the one in DATABASE_URL.`;

const maxDays = 36_500;

const verbs = ["create", "list", "revoke"] as const;
const isVerb = (word: string | undefined): word is (typeof verbs)[number] =>
  verbs.some((verb) => verb === word);

/** `trainyard token`: issues, lists and revokes API tokens. */
export async function token(argv: readonly string[]): Promise<number> {
  if (argv.includes("--help")) {
    console.log(usage);
    return 0;
  }
  const [verb, ...rest] = argv;
  if (verb?.startsWith("-")) return complain(renderOptionProblem(`Unknown option '${verb}'`, "token", []));
  if (!isVerb(verb))
    return complain(verb === undefined ? "A subcommand is missing." : `There is no "token ${verb}".`);
  const parsed = parse(rest);
  if (typeof parsed === "string") return complain(parsed);
  const { values, positionals } = parsed;
  loadEnvFile();
  const unset = unsetDatabaseProblem(process.env);
  if (unset !== null) {
    console.error(unset);
    return 1;
  }
  const databaseUrl = readDatabaseUrl(process.env);
  const store = await openStore(databaseUrl);
  const tokens = new Tokens(store.tokens, { now: () => Date.now() });
  const note: Note = (action, record) => {
    const { organisation, id } = record;
    const changes = tokenChanges(record, action);
    return noteInAuditLog(store.audit, { organisation, action, token: id, changes });
  };
  try {
    switch (verb) {
      case "create":
        return await create(tokens, note, {
          ...values,
          expiresInDays: values["expires-in-days"],
          database: nameDatabase(databaseUrl),
        });
      case "list":
        return list(await tokens.list(values.organisation ?? null), values.json);
      case "revoke":
        return await revoke(tokens, note, positionals[0]);
    }
  } finally {
    await store.close();
  }
}

const options = {
  organisation: { type: "string" },
  name: { type: "string", default: "unnamed" },
  scopes: { type: "string", default: "read,submit" },
  "expires-in-days": { type: "string" },
  json: { type: "boolean", default: false },
} as const;

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options });
  } catch (error) {
    return renderOptionProblem(error, "token", Object.keys(options));
  }
}

type Note = (action: "createToken" | "revokeToken", token: TokenRecord) => Promise<void>;

async function create(
  tokens: Tokens,
  note: Note,
  values: {
    organisation?: string;
    name: string;
    scopes: string;
    expiresInDays?: string | undefined;
    /** A description of the database for people. */
    database: string;
    json: boolean;
  },
): Promise<number> {
  if (!values.organisation) return complain("--organisation is missing.");
  if (!/^[\w.-]{1,100}$/.test(values.organisation))
    return complain("--organisation must be an owner's login, such as acme, without a repository.");
  const scopes = values.scopes.split(",").map((scope) => scope.trim());
  const unknown = scopes.find((scope) => !isScope(scope));
  if (unknown !== undefined) return complain(`"${unknown}" is not a scope.`);
  const days = values.expiresInDays === undefined ? null : Number(values.expiresInDays);
  if (days !== null && !(days > 0 && days <= maxDays))
    return complain(`--expires-in-days must be a positive number, at most ${maxDays}.`);
  const { token, record } = await tokens.create({
    organisation: values.organisation,
    name: values.name,
    scopes: scopes.filter(isScope),
    expiresAt: days === null ? null : Date.now() + Math.round(days * 86_400_000),
  });
  await note("createToken", record);
  console.error(`The token was written to the database ${values.database}.`);
  if (values.json) console.log(JSON.stringify({ token, ...visible(record) }));
  else {
    console.log(token);
    console.error("Keep it: it is not shown again.");
  }
  return 0;
}

function list(records: readonly TokenRecord[], json: boolean): number {
  for (const record of records) {
    if (json) console.log(JSON.stringify(visible(record)));
    else {
      const { id, organisation, name, scopes } = record;
      console.log([id, organisation, name, scopes.join(","), stateOfToken(record, Date.now())].join("\t"));
    }
  }
  return 0;
}

async function revoke(tokens: Tokens, note: Note, id: string | undefined): Promise<number> {
  if (id === undefined) return complain("The id of a token is missing; trainyard token list shows it.");
  // People often paste the whole token instead of its id.
  const record = await tokens.revoke(/^ty_([0-9a-z]{12})_/.exec(id)?.[1] ?? id);
  if (record) await note("revokeToken", record);
  else console.error(`There is no token ${id.slice(0, 12)}.`);
  return record ? 0 : 1;
}

function visible({ secretSha256: _, ...record }: TokenRecord): Omit<TokenRecord, "secretSha256"> {
  return record;
}

function isScope(scope: string): scope is TokenScope {
  return (tokenScopes as readonly string[]).includes(scope);
}

function complain(problem: string): number {
  const help = `"trainyard token --help" shows how it is used.`;
  console.error(problem.includes("--help") ? problem : `${problem} ${help}`);
  return 2;
}
