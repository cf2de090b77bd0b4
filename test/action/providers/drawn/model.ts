import fc from "../../../drawn.ts";

/** A package of a made-up workspace, of which the truth is known. */
export interface ModelPackage {
  /** Stays the same through renames and moves. */
  readonly id: number;
  readonly name: string;
  readonly folder: string;
  /** False: the tool does not list it, though others may need it by its path. */
  readonly isListed: boolean;
  /** How often each of its files has been edited, by the path in its folder. */
  readonly files: Readonly<Record<string, number>>;
  /** Packages that it needs by their ids, and in which of the ways that the tool knows. */
  readonly needs: Readonly<Record<number, number>>;
  /** Paths that it reads although they are not its own. The tool does not know of those in `secretly`. */
  readonly reads: readonly string[];
  readonly secretly: readonly string[];
}

export interface Model {
  readonly packages: readonly ModelPackage[];
  /** Files of no package. */
  readonly loose: Readonly<Record<string, number>>;
}

/** What people do to a repository. Numbers choose among what there is. */
export interface Edit {
  readonly kind: (typeof kinds)[number];
  readonly first: number;
  readonly second: number;
}

const kinds = [
  "edit",
  "edit",
  "edit",
  "add file",
  "remove file",
  "edit loose",
  "add loose",
  "remove package",
  "remove package",
  "rename package",
  "move package",
  "move file",
  "add package",
  "need",
  "need no more",
] as const;

export interface Places {
  /** Folders of packages; some lie in others. */
  readonly folders: readonly string[];
  /** Folders of packages that the tool leaves out. */
  readonly excluded: readonly string[];
  /** Files of a package; the first of them makes it one. */
  readonly files: readonly string[];
  readonly loose: readonly string[];
  /** Files that packages read in a way that the tool is told, or that git shows. */
  readonly readable: readonly string[];
  /**
   * Files that packages read and nobody says so. That counts as long as they belong to no package, or to one that others lie in. No
   * provider can know of a package that reads what is another's alone: that is for people to say in targets-paths.
   */
  readonly untold: readonly string[];
  /** Files in packages of which the tool never says whose they are. */
  readonly sharedAnyway: readonly string[];
  /** How many ways there are to need a package. */
  readonly ways: number;
  readonly hasRoot: boolean;
  /** Whether a package cannot have another name where it is. */
  readonly isNamedByFolder: boolean;
  nameOf(folder: string, id: number): string;
  /** Whether the tool lists a package that is not excluded; in any case, where this is left out. */
  isMember?(folder: string, folders: readonly string[]): boolean;
}

const index = fc.nat(1_000);

/** Draws a workspace and the edits of a pull request. */
export function drawCase(places: Places): fc.Arbitrary<{ base: Model; edits: readonly Edit[] }> {
  const package_ = fc.record({
    isExcluded: fc.integer({ min: 0, max: 4 }),
    needs: fc.array(fc.tuple(index, index), { maxLength: 3 }),
    files: fc.subarray([...places.files.slice(1)]),
    reads: fc.array(index, { maxLength: 1 }),
    secretly: fc.array(index, { maxLength: 1 }),
  });
  const folders = fc.shuffledSubarray([...places.folders], {
    minLength: 3,
    maxLength: Math.min(7, places.folders.length),
  });
  const drawn = fc.record({
    folders,
    excluded: fc.subarray([...places.excluded]),
    hasRoot: fc.boolean(),
    packages: fc.array(package_, { minLength: 12, maxLength: 12 }),
    edits: fc.array(fc.record({ kind: fc.constantFrom(...kinds), first: index, second: index }), {
      minLength: 1,
      maxLength: 3,
    }),
  });
  return drawn.map(({ folders, excluded, hasRoot, packages, edits }) => {
    const listed = [...(places.hasRoot && hasRoot ? [""] : []), ...folders];
    const all = [
      ...listed.map((folder) => [folder, true] as const),
      ...excluded.map((folder) => [folder, false] as const),
    ];
    // Excluded ones among the others, so that needs go through them.
    const order = all
      .map((one, at) => [one, packages[at]?.isExcluded ?? 0] as const)
      .sort((a, b) => a[1] - b[1]);
    const untold = [...places.untold, ...places.sharedAnyway];
    const models = order.map(([[folder, isListed]], id): ModelPackage => {
      const { needs = [], files = [], reads = [], secretly = [] } = packages[id] ?? {};
      return {
        id,
        name: places.nameOf(folder, id),
        folder,
        isListed,
        files: Object.fromEntries([places.files[0] ?? "", ...files].map((file) => [file, 0])),
        // Only of those before it, since most tools refuse circles.
        needs: Object.fromEntries(id === 0 ? [] : needs.map(([to, way]) => [to % id, way % places.ways])),
        reads: reads.flatMap((at) => places.readable[at % places.readable.length] ?? []),
        secretly: secretly.map((at) => untold[at % untold.length] ?? ""),
      };
    });
    return {
      base: { packages: models, loose: Object.fromEntries(places.loose.map((path) => [path, 0])) },
      edits,
    };
  });
}
