import { posix } from "node:path";
import type { Model, ModelPackage, Places } from "./model.ts";

/** The files of a repository. A link holds its target. */
export type Files = Readonly<Record<string, string | { readonly link: string }>>;

/**
 * Computes the targets whose inputs differ by brute force: it lists everything that a package contains, reads
 * and needs on both sides, and compares the lists. It shares no code with the providers.
 */
export function impactedInTruth(
  base: Model,
  head: Model,
  { places, render }: { places: Places; render(model: Model): Files },
): Set<string> {
  const isShared = (path: string) =>
    places.sharedAnyway.includes(path) || (isOfContainer(path, base) && isOfContainer(path, head));
  const before = inputsByTarget(base, render(base), places, isShared);
  const after = inputsByTarget(head, render(head), places, isShared);
  const names = [...before.keys(), ...after.keys()];
  return new Set(names.filter((name) => before.get(name) !== after.get(name)));
}

function inputsByTarget(
  model: Model,
  files: Files,
  { isMember }: Places,
  isShared: (path: string) => boolean,
): Map<string, string> {
  const folders = model.packages.map(({ folder }) => folder);
  return new Map(
    model.packages
      .filter(({ isListed, folder }) => isListed && (isMember?.(folder, folders) ?? true))
      .map((one) => [one.name, [...inputsOf(one, model, files, isShared)].sort().join("\n")]),
  );
}

/**
 * Returns all files of the package, of its reads and of its transitive dependencies, each with its content.
 */
function inputsOf(
  one: ModelPackage,
  model: Model,
  files: Files,
  isShared: (path: string) => boolean,
): Set<string> {
  const inputs = new Set<string>();
  const packages = new Set([one]);
  // The loop also visits the packages that it adds to the set.
  for (const each of packages) {
    for (const path of ownFiles(each, model, files)) inputs.add(contentOf(path, files));
    for (const path of [...each.reads, ...each.secretly.filter(isShared)]) inputs.add(contentOf(path, files));
    for (const id of Object.keys(each.needs).map(Number)) {
      const needed = model.packages.find((other) => other.id === id);
      if (needed) packages.add(needed);
      else inputs.add(`no package ${id}`);
    }
  }
  return inputs;
}

function ownFiles(one: ModelPackage, model: Model, files: Files): string[] {
  const inner = model.packages.filter((other) => other !== one && isBelow(other.folder, one.folder));
  return Object.keys(files).filter(
    (path) =>
      isBelow(path, one.folder) &&
      !inner.some(({ folder }) => isBelow(path, folder)) &&
      // A file at the top belongs to the root package only if the root package declares it.
      (one.folder !== "" || posix.relative("", path) in one.files),
  );
}

/**
 * Whether a file belongs to no package, or to a package that contains others. A package inside counts only if it is a target, or a
 * target needs it.
 */
function isOfContainer(path: string, { packages }: Model): boolean {
  const [owner] = packages
    .filter(({ folder }) => isBelow(path, folder))
    .sort((a, b) => b.folder.length - a.folder.length);
  const used = new Set(packages.filter(({ isListed }) => isListed));
  // The loop also visits the packages that it adds to the set.
  for (const { needs } of used) for (const one of packages) if (one.id in needs) used.add(one);
  return owner === undefined || [...used].some((one) => one !== owner && isBelow(one.folder, owner.folder));
}

function isBelow(path: string, folder: string): boolean {
  return folder === "" ? path !== "" : path.startsWith(`${folder}/`);
}

function contentOf(path: string, files: Files): string {
  const file = files[path];
  if (file === undefined) return `${path} is not there`;
  if (typeof file === "string") return `${path} ${JSON.stringify(file)}`;
  return `${path} -> ${contentOf(posix.join(posix.dirname(path), file.link), files)}`;
}
