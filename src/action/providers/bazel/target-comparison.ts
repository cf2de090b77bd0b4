import { hash } from "node:crypto";
import type { ChangedFile } from "../../git/git.ts";
import { foldersAbove } from "../repository-paths.ts";
import type { TargetFilter } from "./bazel-inputs.ts";
import type { BazelTarget } from "./build-proto.ts";

/** Compares the targets of two commits. Add all targets of the base first, then those of the head, then those of the target branch. */
export class TargetComparison {
  readonly #changedFiles: ReadonlyMap<string, ChangedFile>;
  readonly #prefix: string;
  readonly #filter: TargetFilter;
  /** Digests of the base's targets that have not been found at the head. */
  readonly #base = new Map<string, number>();
  readonly #head = new Map<string, number>();
  /** The rules that differ between the head and the target branch. */
  readonly #rulesOfTargetBranch: string[] = [];
  /** The packages of the target branch that changed files lie in or are loaded by. */
  readonly #touched: Set<string>;
  readonly #dependents = new Map<string, string[]>();
  readonly #hidden = new Set<string>();
  readonly #changed = new Set<string>();
  /** The changed files that Bazel knows, on each side. */
  readonly #known = { base: new Set<string>(), head: new Set<string>() };

  /** @param prefix the path of Bazel's workspace in the repository: empty, or with a trailing slash. */
  constructor(changedFiles: ReadonlyMap<string, ChangedFile>, prefix: string, filter: TargetFilter) {
    this.#changedFiles = changedFiles;
    this.#prefix = prefix;
    this.#filter = filter;
    this.#touched = foldersAbove(changedFiles.keys());
  }

  addBase(target: BazelTarget): void {
    this.#base.set(target.label, digest(target));
    this.#note(target, this.#known.base);
  }

  addHead(target: BazelTarget): void {
    const { label } = target;
    const own = digest(target);
    const isSame = this.#base.get(label) === own;
    this.#base.delete(label);
    this.#head.set(label, own);
    if (this.#note(target, this.#known.head) || !isSame) this.#changed.add(label);
    this.#addDependent(target);
  }

  /** Adds the targets of the branch that the head will be merged into. */
  addOfTargetBranch(target: BazelTarget): void {
    const { label, kind } = target;
    const loaded = new Set<string>();
    this.#note(target, loaded);
    this.#addDependent(target);
    if (kind === "rule" && this.#head.get(label) !== digest(target)) this.#rulesOfTargetBranch.push(label);
    if ([...loaded].some((path) => this.#changedFiles.has(path))) this.#touched.add(this.#folderOf(label));
  }

  #addDependent({ label, inputs }: BazelTarget): void {
    for (const input of inputs) {
      const known = this.#dependents.get(input);
      if (known) known.push(label);
      else this.#dependents.set(input, [label]);
    }
  }

  /** Records the files that a target makes known, and whether the target is uploaded. Returns whether the target is a changed file. */
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

  /** Whether Bazel knows a changed file on each side on which it exists, so that its targets reflect the change. */
  knows({ path, isAtBase, isAtHead, isSubmodule }: ChangedFile): boolean {
    const { base, head } = this.#known;
    return !isSubmodule && (!isAtBase || base.has(path)) && (!isAtHead || head.has(path));
  }

  /**
   * Changed targets, removed ones, and all that are built from them. A rule of the target branch may use any changed file in its package,
   * by a variable, a macro or a glob: neither the base nor the head shows how it changes.
   */
  *impacted(): Generator<string> {
    const rules = this.#rulesOfTargetBranch.filter((label) => this.#touched.has(this.#folderOf(label)));
    const impacted = new Set([...this.#changed, ...this.#base.keys(), ...rules]);
    // Iterating over a set also visits items that are added meanwhile.
    for (const label of impacted) {
      for (const dependent of this.#dependents.get(label) ?? []) impacted.add(dependent);
      if (!this.#hidden.has(label)) yield label;
    }
  }

  /** The folder of a target's package, relative to the repository's root. */
  #folderOf(label: string): string {
    const [, folder = ""] = /^@{0,2}\/\/([^:]*):/.exec(label) ?? [];
    return (this.#prefix + folder).replace(/\/$/, "");
  }
}

/** 48 bits: the probability that a change goes unnoticed is 1 in 281 trillion. */
function digest({ bytes }: BazelTarget): number {
  return hash("sha256", bytes, "buffer").readUIntBE(0, 6);
}

/** The path of a source file in Bazel's workspace. */
function pathOf(label: string): string {
  const [, folder, name = ""] = /^@{0,2}\/\/([^:]*):(.*)$/s.exec(label) ?? [];
  return folder ? `${folder}/${name}` : name;
}
