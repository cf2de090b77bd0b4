import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { StepError } from "../step.ts";
import type { BuildToolName } from "./provider.ts";

type Family = readonly (readonly [BuildToolName, readonly string[]])[];

/** Files that identify the tools of one language. Each tool comes before those that it builds upon. */
const families: readonly Family[] = [
  [
    ["nx", ["nx.json"]],
    ["turborepo", ["turbo.json", "turbo.jsonc"]],
    ["pnpm", ["pnpm-workspace.yaml"]],
    ["yarn", ["yarn.lock"]],
    ["npm", ["package.json"]],
  ],
  [["cargo", ["Cargo.toml"]]],
  [["go", ["go.work", "go.mod"]]],
];
/** Bazel builds all languages. */
const bazelFiles = ["MODULE.bazel", "WORKSPACE", "WORKSPACE.bazel"];

/**
 * Detects the build tool of a workspace by the files at its top.
 *
 * @throws StepError when there is none, or when there are several that each know only a part.
 */
export async function detectBuildTool(directory: string): Promise<BuildToolName> {
  const isThere = (file: string) => existsSync(join(directory, file));
  if (bazelFiles.some(isThere)) return "bazel";
  const tools: BuildToolName[] = [];
  for (const family of families) {
    const found = family.find(([, files]) => files.some(isThere))?.[0];
    const isPackage = found === "yarn" || found === "npm";
    if (found && (!isPackage || (await hasWorkspaces(directory)))) tools.push(found);
  }
  const [tool, ...others] = tools;
  if (tool === undefined) {
    throw new StepError(
      "No build tool was found",
      "The top directory of the workspace contains no file of a known build tool. Set the input provider, or working-directory.",
    );
  }
  if (others.length === 0) return tool;
  throw new StepError(
    "Several build tools were found",
    `Each of ${tools.join(", ")} covers only a part of the workspace. Set the input provider, with targets-paths for the rest, or use the provider \`command\`.`,
  );
}

async function hasWorkspaces(directory: string): Promise<boolean> {
  const manifest: unknown = JSON.parse(await readFile(join(directory, "package.json"), "utf8"));
  return Object(manifest).workspaces !== undefined;
}
