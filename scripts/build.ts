/**
 * Generates the files that are committed because they are used without a build: the Action's bundle in `dist/`, the client's
 * package entry in `client/`, the types of the API in `src/client/generated/api.ts`, the references to commands, reasons,
 * messages and configuration in `docs/reference/`, what agents read in `docs/agents/`, and `docs/llms.txt`.
 *
 *     node scripts/build.ts                generates them
 *     node scripts/build.ts --check        exits with 1 when a file differs from what the sources generate
 *     node scripts/build.ts --check=dist   checks the bundle only
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { bundleAction } from "./bundle-action.ts";
import { bundleClient } from "./bundle-client.ts";
import { renderAgents } from "./render-agents.ts";
import { renderApiTypes } from "./render-api-types.ts";
import { renderCli } from "./render-cli.ts";
import { renderConfiguration } from "./render-configuration.ts";
import { renderLlms } from "./render-llms.ts";
import { renderMessages } from "./render-messages.ts";
import { renderReasons } from "./render-reasons.ts";

const root = join(import.meta.dirname, "..");
/** These folders contain only generated files. */
const folders = ["dist", "client"];
const apiTypes = "src/client/generated/api.ts";
const reasons = "docs/reference/reasons.md";
const messages = "docs/reference/messages.md";
const configuration = "docs/reference/configuration.md";
const cli = "docs/reference/cli.md";
const cliSchema = "docs/reference/cli.schema.json";

/** Returns the names of files that are missing, superfluous, or have other contents. */
function differences(files: ReadonlyMap<string, string>, within: readonly string[]): string[] {
  const there = within
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => relative(root, join(parentPath, name))),
    );
  return [...new Set([...files.keys(), ...there])].filter((name) => !isContent(name, files.get(name)));
}

function isContent(name: string, content: string | undefined): boolean {
  const path = join(root, name);
  return content !== undefined && existsSync(path) && readFileSync(path).equals(Buffer.from(content));
}

function write(name: string, content: string): void {
  const path = join(root, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

/** Checks the files in these folders, and the other generated files. */
function check(files: ReadonlyMap<string, string>, within: readonly string[]): void {
  const differing = differences(files, within);
  if (differing.length === 0) return;
  console.error(
    `Not what the sources make: ${differing.join(", ")}. Run npm run build, and commit what it changes.`,
  );
  process.exitCode = 1;
}

if (process.argv.includes("--check=dist")) check(await bundleAction(), ["dist"]);
else {
  const isCheck = process.argv.includes("--check");
  const api = await renderApiTypes();
  // The client includes these types, so they are written before it is bundled.
  if (!isCheck) write(apiTypes, api);
  const { page, schema } = await renderCli();
  const files = new Map([
    [cli, page],
    [cliSchema, schema],
    [apiTypes, api],
    [reasons, renderReasons()],
    [messages, renderMessages()],
    [configuration, renderConfiguration()],
    ["docs/llms.txt", renderLlms()],
    ...(await renderAgents()),
    ...(await bundleAction()),
    ...(await bundleClient()),
  ]);
  if (isCheck) check(files, folders);
  else {
    for (const folder of folders) rmSync(join(root, folder), { recursive: true, force: true });
    for (const [name, content] of files) write(name, content);
    for (const [name, content] of files) console.log(`${name}: ${Buffer.byteLength(content)} bytes`);
  }
}
