import { setImmediate as nextRound } from "node:timers/promises";
import { promisify } from "node:util";
import { constants, zstdCompress, zstdDecompress } from "node:zlib";
import { inBatches } from "../engine/in-batches.ts";
import type { NamedTest } from "../ports/test-result-store.ts";
import { CorruptRow, parseStored } from "./corrupt-row.ts";

/** Tests to write before other work gets its turn. */
const atATime = 1_000;
const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);
/** Names of one project have much in common: a higher level takes longer and saves little. */
const fastest = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

/** What many tests have in common: their suites, files, classes, variants and owners. */
type Common = string | null | readonly string[];
/** Its id, its name, and the places of the rest in a list of what tests have in common. */
type PackedTest = readonly [
  id: string,
  name: string,
  parent: number,
  file: number,
  classname: number,
  variant: number,
  owners: number,
];

/** Tests compressed. */
export async function packTests(tests: readonly NamedTest[]): Promise<Uint8Array> {
  return await compress(await linesOf(tests), fastest);
}

/** Lines of JSON: what the tests have in common, and then the tests, some in each. */
async function linesOf(tests: readonly NamedTest[]): Promise<Buffer> {
  const places = new Map<Common, number>();
  /** Neighbours are mostly of one suite. */
  const placing = () => {
    let last: { readonly common: Common; readonly place: number } | null = null;
    return (common: Common) => {
      if (last?.common === common) return last.place;
      const place = places.get(common) ?? places.size;
      places.set(common, place);
      last = { common, place };
      return place;
    };
  };
  const [parentOf, fileOf, classOf, variantOf, ownersOf] = [
    placing(),
    placing(),
    placing(),
    placing(),
    placing(),
  ] as const;
  const lines: Buffer[] = [];
  for (const some of inBatches(tests, atATime)) {
    const packed = some.map(({ id, name, parent, file, classname, variant, owners }): PackedTest => {
      const [suite, path, group] = [parentOf(parent), fileOf(file), classOf(classname)];
      return [id, name, suite, path, group, variantOf(variant), ownersOf(owners)];
    });
    lines.push(Buffer.from(`${JSON.stringify(packed)}\n`));
    if (some.length === atATime) await nextRound();
  }
  lines.unshift(Buffer.from(`${JSON.stringify([...places.keys()])}\n`));
  return Buffer.concat(lines);
}

/**
 * The tests in the order in which they were packed, some at a time.
 *
 * @throws CorruptRow when the bytes are not what `packTests` makes.
 */
export async function* unpackTests(bytes: Uint8Array, where: string): AsyncGenerator<readonly NamedTest[]> {
  const text = await decompress(bytes).catch((cause: unknown) => {
    throw new CorruptRow(where, "cannot be decompressed", { cause });
  });
  let common: readonly Common[] | null = null;
  for (let from = 0; from < text.length; ) {
    const to = text.indexOf("\n", from);
    const line = text.toString("utf8", from, to);
    if (common) yield parseStored<PackedTest[]>(line, where).map((test) => unpacked(test, common ?? []));
    else common = parseStored<Common[]>(line, where);
    from = to + 1;
    await nextRound();
  }
}

function unpacked(
  [id, name, parent, file, classname, variant, owners]: PackedTest,
  common: readonly Common[],
): NamedTest {
  return {
    ...{ id, name, parent: textAt(common, parent), file: textAt(common, file) },
    ...{ classname: textAt(common, classname), variant: textAt(common, variant) ?? "" },
    owners: Array.isArray(common[owners]) ? common[owners] : null,
  };
}

function textAt(common: readonly Common[], place: number): string | null {
  const found = common[place];
  return typeof found === "string" ? found : null;
}
