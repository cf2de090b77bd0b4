import { yieldToEventLoop } from "../../../service/workers/yield-to-event-loop.ts";
import { findRenames, groupCandidates, type RenameCandidate } from "../../renames/find-renames.ts";
import type { RenameReads } from "../../store/history/rename-reads.ts";
import type { TestRename } from "../../store/history/renames.ts";
import type { NumberedResult } from "../../store/packing/packed-results.ts";
import type { StoredUpload } from "../../store/uploads/stored-uploads.ts";
import { forEachResult } from "./tree-evidence.ts";

type Reads = Pick<RenameReads, keyof RenameReads>;

const day = 24 * 60 * 60_000;
/** How long other places and lines count as running a test after their last report. */
const reportedLately = 14 * day;
/** The maximum number of uploads of other places and lines to read. If there are more, no rename is found. */
const mostElsewhere = 40;
/**
 * If more tests than this are gone or new at once, no rename is found, because many names are then similar by
 * chance.
 */
const mostChanged = 2_000;

/** Finds tests that were renamed in an upload of a stable branch. */
export class UploadRenames {
  readonly #store: Reads;
  /** Earlier stable-branch uploads of the same evaluation, whose runs are not counted yet. */
  readonly #earlier: StoredUpload[] = [];
  readonly #renamed = new Set<number>();

  constructor(store: Reads) {
    this.#store = store;
  }

  /** The renames in an upload. Uploads must be passed in order. None are found in shared places. */
  async of(upload: StoredUpload, isShared: boolean): Promise<readonly TestRename[]> {
    if (upload.kind !== "stable") return [];
    const found = isShared ? [] : await this.#find(upload);
    for (const { to } of found) this.#renamed.add(to);
    this.#earlier.push(upload);
    return found;
  }

  async #find(upload: StoredUpload): Promise<readonly TestRename[]> {
    const store = this.#store;
    const before = await store.greenBefore(upload);
    if (!before || before.runId === upload.runId) return [];
    const changed = await compareTests(before, upload, mostChanged);
    if (!changed || changed.gone.length === 0 || changed.added.length === 0) return [];
    // Each upload of such a run contains other tests.
    if ((await store.hasSiblings(before)) || (await store.hasSiblings(upload))) return [];
    const passed = changed.added.filter(({ last }) => last === "passed").map(({ sk }) => sk);
    const candidates = await this.#candidates(changed.gone, passed);
    if (candidates.length === 0) return [];
    const elsewhere = await store.newestElsewhere(upload, upload.at - reportedLately, mostElsewhere);
    if (!elsewhere) return [];
    const gone = new Set(candidates.flatMap((group) => group.gone.map(({ sk }) => sk)));
    const onLine = await within(
      gone,
      elsewhere.filter(({ line }) => line === upload.line),
    );
    const onOtherLines = await within(
      gone,
      elsewhere.filter(({ line }) => line !== upload.line),
    );
    const added = candidates.flatMap((group) => group.added.map(({ sk }) => sk));
    const known = await this.#knownBefore(upload, added);
    const renames: TestRename[] = [];
    for (const group of candidates) {
      await yieldToEventLoop();
      const isGone = ({ sk }: RenameCandidate) => !onLine.has(sk);
      const isNew = ({ sk }: RenameCandidate) => !known.has(sk);
      for (const { from, to } of findRenames({
        gone: group.gone.filter(isGone),
        added: group.added.filter(isNew),
      }))
        renames.push({
          ...{ repositoryId: upload.repositoryId, uploadId: upload.id, at: upload.at },
          ...{ from: from.sk, to: to.sk, isRetired: !onOtherLines.has(from.sk) },
        });
    }
    return renames;
  }

  async #candidates(gone: readonly number[], added: readonly number[]) {
    const tests = await this.#store.named([...gone, ...added]);
    const named = (sks: readonly number[]) => sks.flatMap((sk) => tests.get(sk) ?? []);
    return groupCandidates(named(gone), named(added));
  }

  async #knownBefore(upload: StoredUpload, sks: readonly number[]): Promise<ReadonlySet<number>> {
    const evaluated = await this.#store.knownBefore(upload, sks);
    const onOtherTrees = this.#earlier.filter(({ treeSha }) => treeSha !== upload.treeSha);
    const others = await within(new Set(sks), onOtherTrees);
    return new Set([...evaluated, ...others, ...this.#renamed]);
  }
}

/** Returns the tests, out of these, that are in one of the uploads. */
async function within(
  sks: ReadonlySet<number>,
  uploads: readonly StoredUpload[],
): Promise<ReadonlySet<number>> {
  const found = new Set<number>();
  for (const upload of uploads)
    await forEachResult(upload, ({ sk }) => {
      if (sks.has(sk)) found.add(sk);
    });
  return found;
}

/** The tests that are in only one of two uploads. */
export interface TestDifference {
  readonly gone: readonly number[];
  readonly added: readonly NumberedResult[];
}

/** The number of results to process before other work runs. */
const atATime = 4_000;

/** Iterates both uploads once, by ascending number. Null when more than `most` tests are gone or added. */
export async function compareTests(
  before: Pick<StoredUpload, "results">,
  after: Pick<StoredUpload, "results">,
  most: number,
): Promise<TestDifference | null> {
  const gone: number[] = [];
  const added: NumberedResult[] = [];
  const earlier = before.results[Symbol.iterator]();
  let left = earlier.next();
  let seen = 0;
  for (const result of after.results) {
    for (; !left.done && left.value.sk < result.sk; left = earlier.next()) gone.push(left.value.sk);
    if (!left.done && left.value.sk === result.sk) left = earlier.next();
    else added.push(result);
    if (gone.length > most || added.length > most) return null;
    seen += 1;
    if (seen % atATime === 0) await yieldToEventLoop();
  }
  for (; !left.done; left = earlier.next()) {
    gone.push(left.value.sk);
    if (gone.length > most) return null;
  }
  return { gone, added };
}
