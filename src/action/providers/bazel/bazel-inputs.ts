import type { InputReader } from "../../input-reader.ts";
import { compileGlobs, globProblems, type ListedGlob } from "../../targets/globs.ts";
import type { BazelTarget } from "./build-proto.ts";

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
  for (const problem of globProblems(kinds)) reader.fault("bazel-target-kinds", problem);
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

/** Whether a text is a target pattern within this workspace. A leading `-` makes it an exclusion. */
function isTargetPattern(text: string): boolean {
  return /^-?\/\/[^:]*(:[^:]+)?$/.test(text);
}

/** Whether patterns include a label. If all patterns are exclusions, they include everything else. */
function isInScope(label: string, patterns: readonly string[]): boolean {
  if (patterns.length === 0) return true;
  const decisive = patterns.findLast((pattern) => matches(pattern.replace(/^-/, ""), label));
  return decisive === undefined
    ? patterns.every((pattern) => pattern.startsWith("-"))
    : !decisive.startsWith("-");
}

/** Follows https://bazel.build/run/build#specifying-build-targets */
function matches(pattern: string, label: string): boolean {
  const [, folder = "", name] = /^\/\/([^:]*)(?::(.+))?$/.exec(pattern) ?? [];
  const [, ownFolder = "", ownName = ""] = /^@{0,2}\/\/([^:]*):(.*)$/s.exec(label) ?? [];
  const isAnyName = name === undefined || /^(all|\*|all-targets)$/.test(name);
  if (folder === "..." || folder.endsWith("/...")) {
    const top = folder.replace(/\/?\.\.\.$/, "");
    return isAnyName && (top === "" || ownFolder === top || ownFolder.startsWith(`${top}/`));
  }
  if (folder !== ownFolder) return false;
  return name === undefined
    ? ownName === folder.slice(folder.lastIndexOf("/") + 1)
    : isAnyName || name === ownName;
}

/** Selects the targets to upload. It does not limit the targets to compare. */
export class TargetFilter {
  readonly #kinds: readonly ListedGlob[];
  readonly #scope: readonly string[];
  /** Whether any target has been accepted. */
  hasMatched = false;

  constructor({ kinds, scope }: Pick<BazelInputs, "kinds" | "scope">) {
    this.#kinds = compileGlobs(kinds);
    this.#scope = scope;
  }

  /** Generated files are not accepted: their rule represents them. */
  accepts({ kind, ruleClass, label }: BazelTarget): boolean {
    if (kind === "generated" || !isInScope(label, this.#scope)) return false;
    const names = ruleClass === "" ? [kind] : [kind, ruleClass];
    const decisive = this.#kinds.findLast(({ pattern }) => names.some((name) => pattern.test(name)));
    const isAccepted = this.#kinds.length === 0 || decisive?.isExclusion === false;
    this.hasMatched ||= isAccepted;
    return isAccepted;
  }
}
