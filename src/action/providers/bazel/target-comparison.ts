import { hash } from "node:crypto";
import type { BazelTarget } from "./build-proto.ts";

/** Compares the targets of two commits: first those of the base have to be added, then those of the head. */
export class TargetComparison {
  readonly #changedFiles: ReadonlySet<string>;
  readonly #prefix: string;
  /** Digests of the base's targets, without those that were found again at the head. */
  readonly #base = new Map<string, number>();
  readonly #dependents = new Map<string, string[]>();
  readonly #generated = new Set<string>();
  readonly #changed = new Set<string>();

  /** @param prefix the path of Bazel's workspace in the repository: empty, or with a slash at its end. */
  constructor(changedFiles: ReadonlySet<string>, prefix: string) {
    this.#changedFiles = changedFiles;
    this.#prefix = prefix;
  }

  addBase(target: BazelTarget): void {
    this.#base.set(target.label, digest(target));
  }

  addHead(target: BazelTarget): void {
    const { label, kind, inputs } = target;
    const isSame = this.#base.get(label) === digest(target);
    this.#base.delete(label);
    const isChangedFile = kind === "source" && this.#changedFiles.has(this.#prefix + pathOf(label));
    if (!isSame || isChangedFile) this.#changed.add(label);
    if (kind === "generated") this.#generated.add(label);
    for (const input of inputs) {
      const known = this.#dependents.get(input);
      if (known) known.push(label);
      else this.#dependents.set(input, [label]);
    }
  }

  /** Changed targets, removed ones, and all that are made from them; of generated files their rule stands for them. */
  *impacted(): Generator<string> {
    const impacted = new Set([...this.#changed, ...this.#base.keys()]);
    // A set hands out what is added to it while one goes through it.
    for (const label of impacted) {
      for (const dependent of this.#dependents.get(label) ?? []) impacted.add(dependent);
      if (!this.#generated.has(label)) yield label;
    }
  }
}

/** 48 bits: that a change goes unseen is as likely as one in 281 million millions. */
function digest({ bytes }: BazelTarget): number {
  return hash("sha256", bytes, "buffer").readUIntBE(0, 6);
}

/** The path of a source file in Bazel's workspace. */
function pathOf(label: string): string {
  const [, folder, name = ""] = /^@{0,2}\/\/([^:]*):(.*)$/s.exec(label) ?? [];
  return folder ? `${folder}/${name}` : name;
}
