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

/** Says, of changed files, why they impact everything; null when they do not. */
export type FindGlobalFile = (paths: readonly string[]) => string | null;

const findNothing: FindGlobalFile = () => null;

/**
 * @param by what has the globs, in the reason.
 * @param globs may have the word `default` among them.
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
    return path === undefined ? null : `${by} names ${path}, which it changes`;
  };
}

/** The impact of a change of such a file; null when there is none. */
export async function globalImpact(
  finders: readonly FindGlobalFile[],
  change: Change,
): Promise<Impact | null> {
  // A million changed files take git half a second.
  if (finders.every((find) => find === findNothing)) return null;
  for await (const paths of changedFiles(change.git, change.baseSha, change.headSha)) {
    for (const find of finders) {
      const because = find(paths);
      if (because !== null) return { all: true, because };
    }
  }
  return null;
}
