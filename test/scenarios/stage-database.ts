import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { issueToken } from "./stage-service.ts";

interface Template {
  readonly content: Buffer;
  readonly token: string;
}

let template: Promise<Template> | undefined;

/**
 * Writes a database with a current schema and an administrator's token to a file, and returns the token. Every stage needs one, and to
 * create its schema takes longer than to copy it.
 */
export async function writeDatabase(path: string): Promise<string> {
  template ??= createTemplate();
  const { content, token } = await template;
  await writeFile(path, content, { mode: 0o600 });
  return token;
}

async function createTemplate(): Promise<Template> {
  const directory = await mkdtemp(join(tmpdir(), "trainyard-template-"));
  const path = join(directory, "trainyard.db");
  const token = await issueAdmin(`sqlite:${path}`);
  const content = await readFile(path);
  await rm(directory, { recursive: true });
  return { content, token };
}

export function issueAdmin(databaseUrl: string): Promise<string> {
  return issueToken(databaseUrl, { organisation: "acme", scopes: ["admin"] });
}
