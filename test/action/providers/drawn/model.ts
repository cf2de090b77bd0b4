import fc from "../../../drawn.ts";

/** A package of a generated workspace. The test knows its true inputs. */
export interface ModelPackage {
  /** Stays the same when the package is renamed or moved. */
  readonly id: number;
  readonly name: string;
  readonly folder: string;
  /** False if the tool does not list the package. Other packages may still depend on its path. */
  readonly isListed: boolean;
  /** The number of edits of each file, by its path inside the folder. */
  readonly files: Readonly<Record<string, number>>;
  /**
   * The packages that this one depends on: their ids, and which kind of dependency the tool supports it is.
   */
  readonly needs: Readonly<Record<number, number>>;
  /**
   * Paths outside of the package that it reads. The tool knows about those in `reads`, but not about those in
   * `secretly`.
   */
  readonly reads: readonly string[];
  readonly secretly: readonly string[];
}

export interface Model {
  readonly packages: readonly ModelPackage[];
  /** Files that belong to no package. */
  readonly loose: Readonly<Record<string, number>>;
}

/** A change that people make to a repository. The numbers choose among the existing packages and files. */
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
  "absorb package",
  "list package",
  "add package",
  "read",
  "need",
  "need no more",
] as const;

export interface Places {
  /** Folders of packages; some are inside others. */
  readonly folders: readonly string[];
  /** Folders of packages that the tool excludes. */
  readonly excluded: readonly string[];
  /** Files of a package. The first one makes a folder a package. */
  readonly files: readonly string[];
  readonly loose: readonly string[];
  /** Files that packages read and that either the tool's configuration or git (as a link) shows. */
  readonly readable: readonly string[];
  /**
   * Files that packages read without any declaration. Such a file counts as an input only if it belongs to no
   * package, or to a package that contains others. No provider can find out that a package reads a file of
   * another package alone; people have to declare that in targets-paths.
   */
  readonly untold: readonly string[];
  /** Files inside packages for which the tool never reports an owner. */
  readonly sharedAnyway: readonly string[];
  /** The number of kinds of dependencies that the tool supports. */
  readonly ways: number;
  readonly hasRoot: boolean;
  /** Whether the folder determines the name of a package. */
  readonly isNamedByFolder: boolean;
  nameOf(folder: string, id: number): string;
  /** Whether the tool lists a package that is not excluded. Default: always. */
  isMember?(folder: string, folders: readonly string[]): boolean;
}

const index = fc.nat(1_000);

/** A file outside of the package that the tool knows it reads, or one that it does not know, or both, or none. */
export function readsOf(
  drawn: number,
  { readable, untold, sharedAnyway }: Places,
): Pick<ModelPackage, "reads" | "secretly"> {
  const secret = [...untold, ...sharedAnyway];
  const at = Math.floor(drawn / 4);
  return {
    reads: drawn % 2 === 0 ? readable.slice(at % readable.length).slice(0, 1) : [],
    secretly: drawn % 4 < 2 ? secret.slice(at % secret.length).slice(0, 1) : [],
  };
}

/** Generates a workspace, and the edits of several branches of it. */
export function drawCase(
  places: Places,
  branches: number,
): fc.Arbitrary<{ base: Model; branches: readonly (readonly Edit[])[] }> {
  const package_ = fc.record({
    isExcluded: fc.integer({ min: 0, max: 4 }),
    needs: fc.array(fc.tuple(index, index), { maxLength: 3 }),
    files: fc.subarray([...places.files.slice(1)]),
    reads: index,
  });
  const folders = fc.shuffledSubarray([...places.folders], {
    minLength: 3,
    maxLength: Math.min(7, places.folders.length),
  });
  const edit = fc.record({ kind: fc.constantFrom(...kinds), first: index, second: index });
  const drawn = fc.record({
    folders,
    excluded: fc.subarray([...places.excluded]),
    hasRoot: fc.boolean(),
    packages: fc.array(package_, { minLength: 12, maxLength: 12 }),
    branches: fc.array(fc.array(edit, { minLength: 1, maxLength: 2 }), {
      minLength: branches,
      maxLength: branches,
    }),
  });
  return drawn.map(({ folders, excluded, hasRoot, packages, branches }) => {
    const listed = [...(places.hasRoot && hasRoot ? [""] : []), ...folders];
    const all = [
      ...listed.map((folder) => [folder, true] as const),
      ...excluded.map((folder) => [folder, false] as const),
    ];
    // Excluded packages are mixed with the others, so that some dependencies go through them.
    const order = all
      .map((one, at) => [one, packages[at]?.isExcluded ?? 0] as const)
      .sort((a, b) => a[1] - b[1]);
    const models = order.map(([[folder, isListed]], id): ModelPackage => {
      const { needs = [], files = [], reads = 0 } = packages[id] ?? {};
      return {
        id,
        name: places.nameOf(folder, id),
        folder,
        isListed,
        files: Object.fromEntries([places.files[0] ?? "", ...files].map((file) => [file, 0])),
        // A package depends only on earlier ones, because most tools reject cycles.
        needs: Object.fromEntries(id === 0 ? [] : needs.map(([to, way]) => [to % id, way % places.ways])),
        ...readsOf(reads, places),
      };
    });
    return {
      base: { packages: models, loose: Object.fromEntries(places.loose.map((path) => [path, 0])) },
      branches,
    };
  });
}
