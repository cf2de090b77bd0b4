import type { CodeHost } from "../../soak/code-host.ts";
import type { VirtualCi } from "../virtual-ci.ts";

interface OwnBranchesParts {
  readonly model: CodeHost;
  readonly ci: VirtualCi;
  /** The test branches, by name. */
  readonly branches: Map<string, string>;
}

/** The branches of the service itself: those that CI tests, and the scratch branches. */
export class OwnBranches {
  static readonly scratchPrefix = "trainyard-temp/";
  readonly #parts: OwnBranchesParts;
  readonly #scratch = new Map<string, string>();

  constructor(parts: OwnBranchesParts) {
    this.#parts = parts;
  }

  /** Null = there is no such branch. */
  tipOf(name: string): string | null {
    return this.#mapOf(name).get(name) ?? null;
  }

  /** Lets a branch point at a commit. CI tests what is new on a test branch. */
  set(name: string, sha: string): void {
    const { model, ci } = this.#parts;
    const isNew = this.tipOf(name) !== sha;
    this.#mapOf(name).set(name, sha);
    if (isNew && !this.#isScratch(name)) ci.test(sha, model.contentOf(sha));
  }

  #mapOf(name: string): Map<string, string> {
    return this.#isScratch(name) ? this.#scratch : this.#parts.branches;
  }

  #isScratch(name: string): boolean {
    return name.startsWith(OwnBranches.scratchPrefix);
  }
}
