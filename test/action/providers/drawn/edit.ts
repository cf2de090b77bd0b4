import { posix } from "node:path";
import { type Edit, type Model, type ModelPackage, type Places, readsOf } from "./model.ts";
import type { Files } from "./truth.ts";

/** Applies edits to the model. An edit that is not possible in the current model is skipped. */
export function applyEdits(base: Model, edits: readonly Edit[], places: Places): Model {
  return edits.reduce((model, edit) => applyEdit(model, edit, places), base);
}

/**
 * Undoes changes of dependencies that no file shows: while a package is not listed, several kinds of dependency are written as its
 * path. Git merges files and knows no such change. A merge of the models would keep it, and show it if the other side lists the package.
 */
export function withoutHidden(base: Model, edited: Model, render: (model: Model) => Files): Model {
  let model = edited;
  for (const { id, needs } of base.packages) {
    for (const [needed, way] of Object.entries(needs)) {
      const undo = (one: ModelPackage) =>
        one.id === id && needed in one.needs ? { ...one, needs: { ...one.needs, [needed]: way } } : one;
      const undone = { ...model, packages: model.packages.map(undo) };
      if (JSON.stringify(render(undone)) === JSON.stringify(render(model))) model = undone;
    }
  }
  return model;
}

function applyEdit(model: Model, { kind, first, second }: Edit, places: Places): Model {
  const { packages, loose } = model;
  const one = packages[first % Math.max(1, packages.length)];
  const other = packages[second % Math.max(1, packages.length)];
  const change = (changed: ModelPackage) => ({
    ...model,
    packages: packages.map((old) => (old.id === changed.id ? changed : old)),
  });
  const free = places.folders.filter((folder) => packages.every((each) => each.folder !== folder));
  const place = free[second % Math.max(1, free.length)];
  const own = places.files[0] ?? "";
  switch (kind) {
    case "edit loose": {
      const paths = Object.keys(loose);
      const path = paths[first % paths.length] ?? "";
      return { ...model, loose: { ...loose, [path]: (loose[path] ?? 0) + 1 } };
    }
    case "add loose":
      return { ...model, loose: { ...loose, [`extra/${first}.txt`]: 0 } };
    case "add package": {
      if (place === undefined) return model;
      const id = Math.max(-1, ...packages.map((each) => each.id)) + 1;
      const files = { [own]: 0 };
      const needs: Record<number, number> = one === undefined ? {} : { [one.id]: 0 };
      const name = places.nameOf(place, id);
      return {
        ...model,
        packages: [
          ...packages,
          { id, name, folder: place, isListed: true, files, needs, ...readsOf(second, places) },
        ],
      };
    }
    default:
      break;
  }
  if (one === undefined || other === undefined) return model;
  const files = Object.keys(one.files);
  const file = files[second % files.length] ?? "";
  switch (kind) {
    case "edit":
      return change({ ...one, files: { ...one.files, [file]: (one.files[file] ?? 0) + 1 } });
    case "add file":
      return change({ ...one, files: { ...one.files, [`new/${second}.txt`]: 0 } });
    case "remove file":
      return file === own ? model : change({ ...one, files: without(one.files, file) });
    case "remove package":
      return one.folder === "" ? model : { ...model, packages: packages.filter((each) => each !== one) };
    case "absorb package": {
      // Its files remain, but its folder is no package any more.
      const [outer] = packages
        .filter(({ folder }) => folder !== "" && one.folder.startsWith(`${folder}/`))
        .sort((a, b) => b.folder.length - a.folder.length);
      if (outer === undefined || places.isNamedByFolder) return model;
      const left = Object.entries(one.files).map(([path, edits]) => [
        posix.join(posix.relative(outer.folder, one.folder), path),
        edits,
      ]);
      const { packages: others } = change({
        ...outer,
        files: { ...outer.files, ...Object.fromEntries(left) },
      });
      return { ...model, packages: others.filter(({ id }) => id !== one.id) };
    }
    case "list package":
      return places.isNamedByFolder ? model : change({ ...one, isListed: true });
    case "rename package":
      return places.isNamedByFolder ? model : change({ ...one, name: `${one.name}-renamed` });
    case "move package":
      return one.folder === "" || !one.isListed || place === undefined
        ? model
        : change({ ...one, folder: place, name: places.nameOf(place, one.id) });
    case "move file": {
      if (file === own || one === other) return model;
      const moved = { ...other, files: { ...other.files, [file]: one.files[file] ?? 0 } };
      const left = { ...one, files: without(one.files, file) };
      const next = packages.map((each) => (each === one ? left : each === other ? moved : each));
      return { ...model, packages: next };
    }
    case "read": {
      const edited = { ...one.files, [own]: (one.files[own] ?? 0) + 1 };
      return change({ ...one, files: edited, ...readsOf(second, places) });
    }
    case "need":
      return other.id < one.id
        ? change({ ...one, needs: { ...one.needs, [other.id]: first % places.ways } })
        : model;
    case "need no more":
      return change({ ...one, needs: {} });
    default:
      return model;
  }
}

function without(files: ModelPackage["files"], file: string): ModelPackage["files"] {
  return Object.fromEntries(Object.entries(files).filter(([name]) => name !== file));
}
