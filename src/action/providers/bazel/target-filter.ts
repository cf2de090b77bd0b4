import { compileGlob } from "../../targets/glob.ts";
import type { BazelInputs } from "./bazel-inputs.ts";
import type { BazelTarget } from "./build-proto.ts";
import { isInScope } from "./target-patterns.ts";

/** Selects the targets to upload. It does not limit the targets to compare. */
export class TargetFilter {
  readonly #kinds: readonly RegExp[];
  readonly #scope: readonly string[];
  /** Whether any target has been accepted. */
  hasMatched = false;

  constructor({ kinds, scope }: Pick<BazelInputs, "kinds" | "scope">) {
    this.#kinds = kinds.map(compileGlob);
    this.#scope = scope;
  }

  /** Generated files are not accepted: their rule represents them. */
  accepts({ kind, ruleClass, label }: BazelTarget): boolean {
    if (kind === "generated" || !isInScope(label, this.#scope)) return false;
    const names = ruleClass === "" ? [kind] : [kind, ruleClass];
    const isAccepted =
      this.#kinds.length === 0 || this.#kinds.some((glob) => names.some((name) => glob.test(name)));
    this.hasMatched ||= isAccepted;
    return isAccepted;
  }
}
