import type { Model, ModelPackage } from "./model.ts";

/** What a pull request and its target branch are merged to. Null if they conflict. */
export function mergeModels(base: Model, head: Model, target: Model): Model | null {
  const packages: ModelPackage[] = [];
  const sides = [base, head, target];
  for (const id of new Set(sides.flatMap((side) => side.packages.map((one) => one.id)))) {
    const [before, ours, theirs] = sides.map((side) => side.packages.find((one) => one.id === id));
    const chosen = choose(before, ours, theirs);
    if (chosen !== conflict) {
      if (chosen) packages.push(chosen);
      continue;
    }
    if (!before || !ours || !theirs) return null;
    const name = choose(before.name, ours.name, theirs.name);
    const folder = choose(before.folder, ours.folder, theirs.folder);
    const isListed = choose(before.isListed, ours.isListed, theirs.isListed);
    const reads = choose(before.reads, ours.reads, theirs.reads);
    const secretly = choose(before.secretly, ours.secretly, theirs.secretly);
    const files = mergeRecords(before.files, ours.files, theirs.files);
    const needs = mergeRecords(before.needs, ours.needs, theirs.needs);
    if (name === conflict || folder === conflict || isListed === conflict || !files || !needs) return null;
    if (reads === conflict || secretly === conflict) return null;
    // Git does not decide where new files of a folder belong that the other side has moved.
    if (folder !== before.folder && (addsFiles(before, ours) || addsFiles(before, theirs))) return null;
    // If another package is there now, Git takes its files for the old ones.
    if (
      folder !== before.folder &&
      [head, target].some((side) =>
        side.packages.some((one) => one.id !== id && one.folder === before.folder),
      )
    )
      return null;
    packages.push({ id, name, folder, isListed, files, needs, reads, secretly });
  }
  const folders = new Set(packages.map(({ folder }) => folder));
  const loose = mergeRecords(base.loose, head.loose, target.loose);
  return loose && folders.size === packages.length ? { packages, loose } : null;
}

function addsFiles(before: ModelPackage, after: ModelPackage): boolean {
  return after.reads !== before.reads || Object.keys(after.files).some((path) => !(path in before.files));
}

const conflict = Symbol("conflict");

/** The side that differs from the base. */
function choose<Value>(base: Value, ours: Value, theirs: Value): Value | typeof conflict {
  const [before, one, other] = [base, ours, theirs].map((value) => JSON.stringify(value));
  if (one === before || one === other) return theirs;
  return other === before ? ours : conflict;
}

function mergeRecords(
  base: Readonly<Record<string, number>>,
  ours: typeof base,
  theirs: typeof base,
): Readonly<Record<string, number>> | null {
  const merged: Record<string, number> = {};
  for (const key of new Set([base, ours, theirs].flatMap((side) => Object.keys(side)))) {
    const value = choose(base[key], ours[key], theirs[key]);
    if (value === conflict) return null;
    if (value !== undefined) merged[key] = value;
  }
  return merged;
}
