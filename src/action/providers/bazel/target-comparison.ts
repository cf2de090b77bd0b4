import { hash } from "node:crypto";
import type { ChangedFile } from "../../git/changed-files.ts";
import type { BazelTarget } from "./build-proto.ts";
import type { TargetFilter } from "./target-filter.ts";

/** Compares the targets of two commits: first those of the base have to be added, then those of the head. */
export class TargetComparison {
  readonly #changedFiles: ReadonlyMap<string, ChangedFile>;
  readonly #prefix: string;
  readonly #filter: TargetFilter;
  /** Digests of the base's targets, without those that were found again at the head. */
  readonly #base = new Map<string, number>();
  readonly #dependents = new Map<string, string[]>();
  readonly #hidden = new Set<string>();
  readonly #changed = new Set<string>();
  /** The changed files that Bazel knows, on each side. */
  readonly #known = { base: new Set<string>(), head: new Set<string>() };

  /** @param prefix the path of Bazel's workspace in the repository: empty, or with a slash at its end. */
  constructor(changedFiles: ReadonlyMap<string, ChangedFile>, prefix: string, filter: TargetFilter) {
    this.#changedFiles = changedFiles;
    this.#prefix = prefix;
    this.#filter = filter;
  }

  addBase(target: BazelTarget): void {
    this.#base.set(target.label, digest(target));
    this.#note(target, this.#known.base);
  }

  addHead(target: BazelTarget): void {
    const { label, inputs } = target;
    const isSame = this.#base.get(label) === digest(target);
    this.#base.delete(label);
    if (this.#note(target, this.#known.head) || !isSame) this.#changed.add(label);
    for (const input of inputs) {
      const known = this.#dependents.get(input);
      if (known) known.push(label);
      else this.#dependents.set(input, [label]);
    }
  }

  /** Remembers what a target says of changed files, and whether it is posted. Answers whether it is such a file. */
  #note(target: BazelTarget, known: Set<string>): boolean {
    const { label, kind, loads } = target;
    if (this.#filter.accepts(target)) this.#hidden.delete(label);
    else this.#hidden.add(label);
    const path = this.#prefix + pathOf(label);
    const isChangedFile = kind === "source" && this.#changedFiles.has(path);
    if (isChangedFile) known.add(path);
    for (const load of loads) known.add(this.#prefix + pathOf(load));
    return isChangedFile;
  }

  /** Whether Bazel knows a changed file on each side on which it exists, so that what it means shows in targets. */
  knows({ path, isAtBase, isAtHead, isSubmodule }: ChangedFile): boolean {
    const { base, head } = this.#known;
    return !isSubmodule && (!isAtBase || base.has(path)) && (!isAtHead || head.has(path));
  }

  /** Changed targets, removed ones, and all that are made from them. */
  *impacted(): Generator<string> {
    const impacted = new Set([...this.#changed, ...this.#base.keys()]);
    // A set hands out what is added to it while one goes through it.
    for (const label of impacted) {
      for (const dependent of this.#dependents.get(label) ?? []) impacted.add(dependent);
      if (!this.#hidden.has(label)) yield label;
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
