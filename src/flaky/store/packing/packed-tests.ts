import { setImmediate as nextRound } from "node:timers/promises";
import { promisify } from "node:util";
import { constants, zstdCompress, zstdDecompress } from "node:zlib";
import { CorruptRow, parseStored } from "../../../store/queries/corrupt-row.ts";
import type { NumberedId } from "../identities/test-ids.ts";
import type { NamedTest } from "../uploads/upload-records.ts";

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);
/** A higher level takes longer and saves little, because the names of one project have much in common. */
const fastest = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

/** A value that many tests share: a suite, file, class, variant or owner list. */
type Common = string | null | readonly string[];
/** The id, the name, and the indexes of the other values in a list of shared values. */
type PackedTest = readonly [
  id: string,
  name: string,
  parent: number,
  file: number,
  classname: number,
  variant: number,
  owners: number,
];

/** Packs tests: compressed lines of JSON, first the shared values and then the tests. */
export class TestPacker {
  readonly #places = new Map<Common, number>();
  readonly #lines: Buffer[] = [];
  count = 0;
  characters = 0;

  /** Adds tests as one line. */
  add(tests: readonly NamedTest[]): void {
    const [parentOf, fileOf, classOf] = [this.#placing(), this.#placing(), this.#placing()];
    const [variantOf, ownersOf] = [this.#placing(), this.#placing()];
    const packed = tests.map(({ id, name, parent, file, classname, variant, owners }): PackedTest => {
      const [suite, path, group] = [parentOf(parent), fileOf(file), classOf(classname)];
      return [id, name, suite, path, group, variantOf(variant), ownersOf(owners)];
    });
    const line = `${JSON.stringify(packed)}\n`;
    this.#lines.push(Buffer.from(line));
    this.count += tests.length;
    this.characters += line.length;
  }

  async packed(): Promise<Uint8Array> {
    const common = Buffer.from(`${JSON.stringify([...this.#places.keys()])}\n`);
    return await compress(Buffer.concat([common, ...this.#lines]), fastest);
  }

  /** Caches the last value, because consecutive tests usually share it. */
  #placing(): (common: Common) => number {
    let last: { readonly common: Common; readonly place: number } | null = null;
    return (common) => {
      if (last?.common === common) return last.place;
      const place = this.#places.get(common) ?? this.#places.size;
      this.#places.set(common, place);
      last = { common, place };
      return place;
    };
  }
}

/**
 * The tests in the order in which they were packed, one line at a time.
 *
 * @throws CorruptRow when the bytes are not the output of `TestPacker`.
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

/**
 * The number of characters by which ids are grouped before sorting. Of 200,000 UUIDs, a few dozen share a
 * prefix.
 */
const prefixLength = 3;

/** Ids in ascending order. They are sorted group by group, so that other work can run. */
export class IdOrder {
  readonly #byPrefix = new Map<string, NumberedId[]>();

  add(one: NumberedId): void {
    const prefix = one.id.slice(0, prefixLength);
    const alike = this.#byPrefix.get(prefix);
    if (alike) alike.push(one);
    else this.#byPrefix.set(prefix, [one]);
  }

  /** Yields at least `size` ids at a time, except in the last batch. */
  async *batches(size: number): AsyncGenerator<readonly NumberedId[]> {
    let batch: NumberedId[] = [];
    for (const prefix of [...this.#byPrefix.keys()].sort()) {
      for (const one of this.#byPrefix.get(prefix)?.sort(byId) ?? []) batch.push(one);
      if (batch.length < size) continue;
      yield batch;
      batch = [];
      await nextRound();
    }
    if (batch.length > 0) yield batch;
  }
}

function byId(one: NumberedId, other: NumberedId): number {
  return one.id < other.id ? -1 : 1;
}
