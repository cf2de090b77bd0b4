import { changedFiles } from "../git/git.ts";
import { PathMatcher } from "../targets/path-rules.ts";
import type { Change, Impact, ProviderName } from "./provider.ts";

/** The word in `impact-all-paths` that stands for the provider's own list. */
const defaultWord = "default";

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

/** Files that no target owns and every target depends on: CI workflows, lockfiles, the tool's configuration. */
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

/** Returns why changed files impact everything; null when they do not. */
export type FindGlobalFile = (paths: readonly string[]) => string | null;

const findNothing: FindGlobalFile = () => null;

/**
 * @param by the source of the globs, which the reason names.
 * @param globs may contain the word `default`.
 */
export function globalFileFinder(
  by: string,
  globs: readonly string[],
  provider: ProviderName,
): FindGlobalFile {
  const all = globs.flatMap((glob) => (glob === defaultWord ? globsOf[provider] : [glob]));
  if (all.length === 0) return findNothing;
  const matcher = new PathMatcher([{ target: "", globs: all }]);
  return (paths) => {
    const path = paths.find((one) => matcher.names(one));
    return path === undefined ? null : `the pull request changes ${path}, which ${by} names`;
  };
}

/** The impact of a change of such a file: everything. Null when none has changed. */
export async function globalImpact(
  finders: readonly FindGlobalFile[],
  change: Change,
): Promise<Impact | null> {
  // Without globs, git need not be asked, which takes half a second for a million changed files.
  if (finders.every((find) => find === findNothing)) return null;
  for await (const paths of changedFiles(change.git, change.baseSha, change.headSha)) {
    for (const find of finders) {
      const because = find(paths);
      if (because !== null) return { all: true, because };
    }
  }
  return null;
}
