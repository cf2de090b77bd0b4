import { changedFiles } from "../git/changed-files.ts";
import { compileGlob } from "../targets/glob.ts";
import type { Change } from "./provider.ts";
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

/** The first changed file that impacts everything; null when there is none. @param globs may have the word `default` among them. */
export async function firstGlobalFile(
  globs: readonly string[],
  provider: ProviderName,
  change: Change,
): Promise<string | null> {
  const patterns = globs
    .flatMap((glob) => (glob === defaultWord ? globsOf[provider] : [glob]))
    .map(compileGlob);
  if (patterns.length === 0) return null;
  for await (const paths of changedFiles(change.git, change.baseSha, change.headSha)) {
    const found = paths.find((path) => patterns.some((pattern) => pattern.test(path)));
    if (found !== undefined) return found;
  }
  return null;
}
