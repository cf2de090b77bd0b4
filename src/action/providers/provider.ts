import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { GitEnvironment } from "../git/git.ts";
import type { PathRule } from "../targets/path-rules.ts";
import type { BazelInputs } from "./bazel/bazel-inputs.ts";

/** The change of a pull request, and where to look at it. */
export interface Change {
  readonly baseSha: string;
  readonly headSha: string;
  /** The tip of the branch that it will be merged into. */
  readonly targetSha: string;
  /** Runs in the directory of the build tool's workspace. */
  readonly git: GitEnvironment;
  /** The user's rules that map files to targets, in addition to what the provider knows. */
  readonly rules: readonly PathRule[];
  /** A directory for a provider's temporary files. */
  readonly temporary: string;
  readonly bazel: BazelInputs;
}

/** The impact of a pull request: everything, for a reason, or targets in batches. */
export type Impact =
  | { readonly all: true; readonly because: string }
  | { readonly all: false; readonly targets: AsyncIterable<readonly string[]> };

/** Targets that are known at once, as one batch. */
export async function* batched(targets: Iterable<string>): AsyncGenerator<readonly string[]> {
  yield [...targets];
}

/** The ways to find targets. `auto` detects the build tool. */
export const providerNames = [
  "auto",
  "bazel",
  "nx",
  "turborepo",
  "pnpm",
  "yarn",
  "npm",
  "cargo",
  "go",
  "paths",
  "command",
  "all",
] as const;

export type ProviderName = (typeof providerNames)[number];

/** The providers that ask a build tool. */
export type BuildToolName = Exclude<ProviderName, "auto" | "paths" | "command" | "all">;

/** Finds a package's program: in the nearest `node_modules/.bin` at or above `cwd`, as npm and pnpm install it, else in the PATH. */
export function localProgram(name: string, cwd: string): string {
  for (let directory = resolve(cwd); ; directory = dirname(directory)) {
    const file = join(directory, "node_modules", ".bin", name);
    if (existsSync(file)) return file;
    if (directory === dirname(directory)) return name;
  }
}
