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
    const files = mergeRecords(before.files, ours.files, theirs.files);
    const needs = mergeRecords(before.needs, ours.needs, theirs.needs);
    if (name === conflict || folder === conflict || !files || !needs) return null;
    packages.push({ ...ours, name, folder, files, needs });
  }
  const folders = new Set(packages.map(({ folder }) => folder));
  const loose = mergeRecords(base.loose, head.loose, target.loose);
  return loose && folders.size === packages.length ? { packages, loose } : null;
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
