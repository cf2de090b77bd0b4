import { hash } from "node:crypto";
import { setImmediate as nextRound } from "node:timers/promises";
import { inBatches } from "../../../engine/collections/in-batches.ts";
import type { Database } from "../../../store/sqlite/schema.ts";
import { testIdOf } from "../../identity.ts";
import type { KnownTests, NumberedTest } from "../identities/known-tests.ts";
import { NumberSet } from "../packing/number-set.ts";
import {
  type CollectedTests,
  lastOfChange,
  numbersOf,
  type ReferenceUpload,
  type RunUpload,
  recentReferences,
  type SearchedUpload,
  uploadsOfRun,
} from "./reference-uploads.ts";

/**
 * Some jobs divide their tests among shards differently in each run. A test that a shard had before may then run in another shard, so
 * only all shards of a run together can be complete. Tests are compared by their names, because the variant is part of a test's id.
 */

/** The maximum number of missing tests of an upload that are looked up. If there are more, whole suites are missing. */
export const mostLookedUp = 20_000;
/** The maximum number of tests of a run that are compared by name. If more differ by number, all of these count as missing. */
const mostOfRun = 100_000;
/** The maximum number of tests, new in a shard, that are looked up to find out whether they ran in another shard before. */
const mostMoved = 100;
/** The number of the last runs among which a complete one is searched. */
const mostRuns = 5;
/** The number of tests that are looked up first. If tests move, they usually show it. */
const few = 8;
/** The number of tests to look up before other work runs. */
const atATime = 4_000;

/** An upload that is compared with a reference. */
interface Comparison {
  readonly db: Database;
  readonly known: KnownTests;
  readonly searched: SearchedUpload;
  readonly here: CollectedTests;
  readonly reference: ReferenceUpload;
  /** If set, only tests that this one may have contained, too, are expected. */
  readonly older: ReferenceUpload | null;
}

/** A job of a run, in one variant, and its tests. */
type Shard = Pick<RunUpload, "job" | "variant"> & { readonly ran: NumberSet };

/** An upload among the other uploads of its run, and of the reference's run. */
export interface Shards extends Comparison {
  readonly before: readonly RunUpload[];
  /** Excludes this upload and the earlier attempts of its job. */
  readonly now: readonly RunUpload[];
}

/** Null: the runs for comparison have no other uploads, so the job does not have several shards. */
export async function findShards(comparison: Comparison): Promise<Shards | null> {
  const { db, searched, reference: first } = comparison;
  const { repositoryId, upload } = searched;
  const recent = await recentReferences(db, repositoryId, upload);
  let reference = first;
  let before: readonly RunUpload[] = [];
  // The reference's run may be in progress. An older run then shows the number of shards.
  for (const candidate of [first, ...recent.filter(({ id }) => id !== first.id)]) {
    const uploads = await uploadsOfReference(db, searched, candidate);
    if (uploads.filter(isFirst).length <= before.filter(isFirst).length) continue;
    reference = candidate;
    before = uploads;
  }
  if (before.length < 2) return null;
  // The oldest known run may have tests that were deleted since, so a newer run in which all shards passed is preferred to it.
  const newer = reference === recent[1] ? await recentReferences(db, repositoryId, upload, mostRuns) : [];
  for (const candidate of newer) {
    const uploads = await uploadsOfReference(db, searched, candidate);
    if (!isGreen(uploads, before)) continue;
    [reference, before] = [candidate, uploads];
    break;
  }
  const all = await uploadsOfRun(db, repositoryId, upload);
  const { job, variant, runAttempt } = upload;
  const isOwn = (one: RunUpload) => one.job === job && one.variant === variant;
  const now = all.filter((one) => !isOwn(one) || one.run_attempt === runAttempt);
  const older = reference === first ? comparison.older : (recent.at(-1) ?? null);
  return { ...comparison, reference, older, before, now };
}

/** Whether each shard of a run passed in a run of a stable branch. */
function isGreen(uploads: readonly RunUpload[], run: readonly RunUpload[]): boolean {
  const greens = uploads.filter(({ kind, is_green }) => kind === "stable" && is_green === 1);
  return run.every(({ job, variant }) => greens.some((one) => one.job === job && one.variant === variant));
}

function isFirst({ run_attempt }: RunUpload): boolean {
  return run_attempt === 1;
}

function uploadsOfReference(
  db: Database,
  { repositoryId, upload }: SearchedUpload,
  { head_sha: headSha, run_id: runId }: ReferenceUpload,
): Promise<readonly RunUpload[]> {
  return uploadsOfRun(db, repositoryId, { ...upload, headSha, runId });
}

/**
 * Whether tests move between shards: a test that is missing here ran in another shard, or a test that is new here or in the reference ran
 * in another shard before.
 */
export async function doMove(
  shards: Shards,
  added: readonly NumberedTest[],
  missing: readonly NumberedTest[],
): Promise<boolean> {
  const { db, searched, reference, before, now } = shards;
  const [ofBefore, ofNow] = [await shardsOf(before), await shardsOf(now)];
  for (const some of [missing.slice(0, few), missing.slice(few)]) {
    const ranNow = await countPlaces(shards, ofNow, some);
    const found = some.filter(({ sk }) => ranNow.has(sk));
    const ranBefore = await countPlaces(shards, ofBefore, found);
    if (found.some(({ sk }) => (ranNow.get(sk) ?? 0) >= (ranBefore.get(sk) ?? 1))) return true;
  }
  const others = await shardsOf(before.filter(({ id }) => id !== reference.id));
  for (const some of [added.slice(0, few), added.slice(few, mostMoved)])
    if ((await countPlaces(shards, others, some)).size > 0) return true;
  const recent = await recentReferences(db, searched.repositoryId, searched.upload);
  const earlier = recent.find(({ id }) => id < reference.id);
  if (!earlier) return false;
  const numbers = setOf((await numbersOf(reference)) ?? []);
  const uploads = (await uploadsOfReference(db, searched, earlier)).filter(({ id }) => id !== earlier.id);
  const addedSince = await addedTests(shards, numbers, earlier, mostMoved);
  return (await countPlaces(shards, await shardsOf(uploads), addedSince)).size > 0;
}

interface LackingRun {
  readonly count: number;
  /** Empty if there are too many. */
  readonly tests: readonly NumberedTest[];
  /** The number of shards that have not reported. */
  readonly awaited: number;
}

/** Finds the tests that ran in fewer places of this run than of the reference's, except those that the change deletes. */
export async function missingInRun(shards: Shards): Promise<LackingRun> {
  const { db, known, searched, here, before, now, older } = shards;
  const { repositoryId, upload } = searched;
  const earlier = await shardsOf(before);
  const current = await shardsOf(now, { ...upload, ran: here.numbers });
  const isAwaited = ({ job, variant }: Shard) =>
    !current.some((shard) => shard.job === job && shard.variant === variant);
  const awaited = earlier.filter(isAwaited).length;
  // Most tests ran in the same shard or in none, which their numbers show. Only the names of the others are read.
  const fewer = differences(earlier, current);
  const lacking = [...fewer.keys()].filter((sk) => (fewer.get(sk) ?? 0) > 0).sort((a, b) => a - b);
  if (lacking.length > mostOfRun) return { count: lacking.length, tests: [], awaited };
  const tests = await known.withNumbers(repositoryId, lacking);
  const lost = await sumByName(shards, tests, fewer);
  let missing = tests.filter((test) => !here.unnumbered.has(test.id) && lost(test) > 0);
  if (older && missing.length > 0) {
    // A test has a different number in each shard, so its number does not show whether it is new.
    const ranOlder = differences(await shardsOf(await uploadsOfReference(db, searched, older)), []);
    const placesOf = await sumByName(shards, missing, ranOlder);
    missing = missing.filter((test) => placesOf(test) > 0);
  }
  const lasts = missing.length === 0 ? [] : await lastOfChange(db, repositoryId, upload);
  for (const reference of lasts) {
    const uploads = await uploadsOfReference(db, searched, reference);
    if (uploads.length < before.length) continue;
    const last = await shardsOf(uploads);
    const lacked = await sumByName(shards, missing, differences(earlier, last));
    const newest = Math.max(...last.map(({ ran }) => ran.below(Number.POSITIVE_INFINITY, 1)[0] ?? 0));
    // A test that is newer than that run is not one that the change deletes.
    missing = missing.filter((test) => test.sk > newest || lacked(test) <= 0);
  }
  return { count: missing.length, tests: missing, awaited };
}

/** In how many more shards of one run than of another each test ran, by number; without those of which it is 0. */
function differences(run: readonly Shard[], other: readonly Shard[]): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  const add = (shards: readonly Shard[], places: number) => {
    for (const { ran } of shards)
      for (const sk of membersOf(ran)) found.set(sk, (found.get(sk) ?? 0) + places);
  };
  add(run, 1);
  add(other, -1);
  for (const [sk, places] of found) if (places === 0) found.delete(sk);
  return found;
}

/** Adds up counts by number for each name. Returns the sum for the name of one of `tests`. */
async function sumByName(
  { known, searched }: Shards,
  tests: readonly NumberedTest[],
  counts: ReadonlyMap<number, number>,
): Promise<(test: NumberedTest) => number> {
  const sums = new Map(tests.map((test) => [nameOf(test), 0]));
  for (const some of inBatches(counts.keys(), atATime)) {
    for (const test of await known.withNumbers(searched.repositoryId, some)) {
      const name = nameOf(test);
      const sum = sums.get(name);
      if (sum !== undefined) sums.set(name, sum + (counts.get(test.sk) ?? 0));
    }
    await nextRound();
  }
  return (test) => sums.get(nameOf(test)) ?? 0;
}

/** Like ids, names do not distinguish absent parts from empty ones. */
function nameOf({ file, classname, parent, name }: NumberedTest): string {
  return `${file ?? ""}\0${classname ?? ""}\0${parent ?? ""}\0${name}`;
}

/** The tests of an upload that its reference lacks, but at most `most`. */
export async function addedTests(
  { known, searched }: Pick<Comparison, "known" | "searched">,
  numbers: NumberSet,
  reference: ReferenceUpload,
  most: number = mostLookedUp,
): Promise<readonly NumberedTest[]> {
  const before = setOf((await numbersOf(reference)) ?? []);
  const added = membersOf(numbers).filter((sk) => !before.has(sk));
  return await known.withNumbers(searched.repositoryId, added.slice(0, most));
}

/** Each job and variant of a run, with the tests of all of its uploads. Uploads whose results are not complete yet are left out. */
async function shardsOf(uploads: readonly RunUpload[], own?: Shard): Promise<readonly Shard[]> {
  const shards = new Map<string, Shard>();
  const add = ({ job, variant, ran }: Shard) => {
    const key = JSON.stringify([job, variant]);
    const shard = shards.get(key) ?? { job, variant, ran: new NumberSet() };
    shard.ran.addAll(ran);
    shards.set(key, shard);
  };
  for (const upload of uploads) {
    const numbers = await numbersOf(upload);
    if (numbers) add({ ...upload, ran: setOf(numbers) });
  }
  if (own) add(own);
  return [...shards.values()];
}

/** The number of shards in which each test ran. Tests that did not run are left out. */
async function countPlaces(
  { known, searched: { repositoryId, scope } }: Pick<Shards, "known" | "searched">,
  shards: readonly Shard[],
  tests: readonly NumberedTest[],
): Promise<ReadonlyMap<number, number>> {
  const byVariant = Map.groupBy(shards, (shard) => shard.variant);
  const counts = new Map<number, number>();
  for (const some of inBatches(tests, atATime / 8)) {
    const ids = new Map<string, { readonly test: number; readonly ofVariant: readonly Shard[] }>();
    for (const [variant, ofVariant] of byVariant)
      for (const test of some)
        ids.set(testIdOf(test, { ...scope, variant }, digest), { test: test.sk, ofVariant });
    const numbers = await known.numbersOf(repositoryId, [...ids.keys()]);
    for (const [id, { test, ofVariant }] of ids) {
      const sk = numbers.get(id);
      const places = sk === undefined ? 0 : ofVariant.filter(({ ran }) => ran.has(sk)).length;
      if (places > 0) counts.set(test, (counts.get(test) ?? 0) + places);
    }
  }
  return counts;
}

function setOf(numbers: Iterable<number>): NumberSet {
  const set = new NumberSet();
  for (const number of numbers) set.add(number);
  return set;
}

function membersOf(set: NumberSet): readonly number[] {
  return set.above(-1, Number.POSITIVE_INFINITY);
}

const digest = (algorithm: "sha1" | "sha256", bytes: Uint8Array) => hash(algorithm, bytes);
