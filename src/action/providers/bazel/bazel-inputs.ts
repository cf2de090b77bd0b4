import type { InputReader } from "../../input-reader.ts";
import { globProblem } from "../../targets/glob-list.ts";
import { isTargetPattern } from "./target-patterns.ts";

/** The Action's inputs about running Bazel and about the targets to upload. */
export interface BazelInputs {
  /** Null: `bazel`, or `bazelisk` if that is missing. */
  readonly path: string | null;
  readonly startupOptions: readonly string[];
  readonly queryOptions: readonly string[];
  /** Globs of target kinds; empty for all. */
  readonly kinds: readonly string[];
  /** Target patterns, of which a later pattern overrides an earlier one; empty for all. */
  readonly scope: readonly string[];
}

export function readBazelInputs(reader: InputReader): BazelInputs {
  const kinds = reader.list("bazel-target-kinds");
  const scope = reader.list("bazel-scope");
  for (const kind of kinds) {
    const problem = globProblem(kind);
    if (problem !== null) reader.fault("bazel-target-kinds", problem);
  }
  for (const pattern of scope.filter((one) => !isTargetPattern(one))) {
    reader.fault(
      "bazel-scope",
      `has "${pattern}"; use target patterns such as //services/... or -//services/old/...`,
    );
  }
  return {
    path: reader.text("bazel-path"),
    startupOptions: readOptions(reader, "bazel-startup-options"),
    queryOptions: readOptions(reader, "bazel-query-options"),
    kinds,
    scope,
  };
}

function readOptions(reader: InputReader, input: string): readonly string[] {
  const options = reader.list(input);
  for (const option of options.filter((one) => !one.startsWith("-"))) {
    reader.fault(input, `has "${option}"; write each option as --name=value`);
  }
  return options;
}
