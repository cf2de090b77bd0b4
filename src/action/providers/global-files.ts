import { changedFiles } from "../git/changed-files.ts";
import { PathMatcher } from "../targets/path-matcher.ts";
import type { Change, Impact } from "./provider.ts";
import type { ProviderName } from "./provider-name.ts";

/** In `impact-all-paths`, what stands for the provider's own list. */
export const defaultWord = "default";

const workflows = [".github/workflows/**", ".github/actions/**"];
const nodePackages = [
  "**/package-lock.json",
  "**/npm-shrinkwrap.json",
  "**/yarn.lock",
  "**/pnpm-lock.yaml",
  "**/bun.lock",
  "**/pnpm-workspace.yaml",
  "**/.npmrc",
  "**/.yarnrc*",
  "**/.pnpmfile.*",
  "package.json",
];

/** Files that no target owns and every one depends on: what CI does, what is installed, how the tool is set up. */
const globsOf: Readonly<Record<ProviderName, readonly string[]>> = {
  auto: workflows,
  bazel: [
    ...workflows,
    "**/{MODULE,WORKSPACE}*",
    "**/*.MODULE.bazel",
    "**/.bazelrc",
    "**/.bazelversion",
    "**/.bazelignore",
    "tools/bazel*",
  ],
  nx: [...workflows, ...nodePackages, "**/nx.json", "tsconfig*.json"],
  turborepo: [...workflows, ...nodePackages, "**/turbo.{json,jsonc}", "tsconfig*.json"],
  pnpm: [...workflows, ...nodePackages],
  yarn: [...workflows, ...nodePackages],
  npm: [...workflows, ...nodePackages],
  cargo: [...workflows, "**/Cargo.lock", "Cargo.toml", "**/.cargo/**", "**/rust-toolchain*"],
  go: [...workflows, "**/go.{mod,sum,work,work.sum}", "**/vendor/modules.txt"],
  paths: workflows,
  command: workflows,
  all: [],
};

/** Finds, among changed files, the first that impacts everything; null when there is none. */
export type FindGlobalFile = (paths: readonly string[]) => string | null;

/** @param globs may have the word `default` among them. */
export function globalFileFinder(globs: readonly string[], provider: ProviderName): FindGlobalFile {
  const all = globs.flatMap((glob) => (glob === defaultWord ? globsOf[provider] : [glob]));
  const matcher = new PathMatcher([{ target: "", globs: all }]);
  return (paths) => paths.find((path) => matcher.names(path)) ?? null;
}

export async function firstGlobalFile(find: FindGlobalFile, change: Change): Promise<string | null> {
  for await (const paths of changedFiles(change.git, change.baseSha, change.headSha)) {
    const file = find(paths);
    if (file !== null) return file;
  }
  return null;
}

/** The impact of a change of such a file. */
export function globalImpact(file: string): Impact {
  return { all: true, because: `impact-all-paths names ${file}, which it changes` };
}
