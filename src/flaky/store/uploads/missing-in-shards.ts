import { hash } from "node:crypto";
import { inBatches } from "../../../engine/collections/in-batches.ts";
import type { Database } from "../../../store/sqlite/schema.ts";
import { type TestName, testIdOf } from "../../identity.ts";
import type { KnownTests } from "../identities/known-tests.ts";
import { namedTests } from "../identities/test-cases.ts";
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

export type NamedTest = TestName & { readonly sk: number; readonly id: string };

/** The maximum number of missing tests that are looked up. If there are more, whole suites are missing. */
export const mostLookedUp = 20_000;
/** The maximum number of tests, new in a shard, that are looked up to find out whether they ran in another shard before. */
const mostMoved = 100;
/** The number of ids to look up before other work runs. */
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
  for (const candidate of [first, ...recent]) {
    const uploads = await uploadsOfReference(db, searched, candidate);
    if (uploads.filter(isFirst).length <= before.filter(isFirst).length) continue;
    reference = candidate;
    before = uploads;
  }
  if (before.length < 2) return null;
  const all = await uploadsOfRun(db, repositoryId, upload);
  const { job, variant, runAttempt } = upload;
  const isOwn = (one: RunUpload) => one.job === job && one.variant === variant;
  const now = all.filter((one) => !isOwn(one) || one.run_attempt === runAttempt);
  const older = reference === first ? comparison.older : (recent.at(-1) ?? null);
  return { ...comparison, reference, older, before, now };
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
  added: readonly NamedTest[],
  missing: readonly NamedTest[],
): Promise<boolean> {
  const { db, searched, reference, before, now } = shards;
  const ranBefore = await countPlaces(shards, await shardsOf(before), missing);
  const ranNow = await countPlaces(shards, await shardsOf(now), missing);
  if (missing.some(({ sk }) => (ranNow.get(sk) ?? 0) >= (ranBefore.get(sk) ?? 1))) return true;
  const others = before.filter(({ id }) => id !== reference.id);
  if ((await countPlaces(shards, await shardsOf(others), added.slice(0, mostMoved))).size > 0) return true;
  const recent = await recentReferences(db, searched.repositoryId, searched.upload);
  const earlier = recent.find(({ id }) => id < reference.id);
  if (!earlier) return false;
  const numbers = setOf((await numbersOf(reference)) ?? []);
  const uploads = (await uploadsOfReference(db, searched, earlier)).filter(({ id }) => id !== earlier.id);
  const addedSince = await addedTests(db, numbers, earlier);
  return (await countPlaces(shards, await shardsOf(uploads), addedSince.slice(0, mostMoved))).size > 0;
}

interface LackingRun {
  readonly tests: readonly NamedTest[];
  /** The number of shards that have not reported. */
  readonly awaited: number;
}

/** Finds the tests that ran in fewer places of this run than of the reference's, except those that the change deletes. */
export async function missingInRun(shards: Shards): Promise<LackingRun> {
  const { db, searched, here, before, now, older } = shards;
  const { repositoryId, upload } = searched;
  const earlier = await shardsOf(before);
  const current = [...(await shardsOf(now)), { ...upload, ran: here.numbers }];
  const isAwaited = ({ job, variant }: Shard) =>
    !current.some((shard) => shard.job === job && shard.variant === variant);
  const awaited = earlier.filter(isAwaited).length;
  const lacking = new NumberSet();
  for (const { ran } of earlier)
    for (const sk of membersOf(ran)) if (!current.some((shard) => shard.ran.has(sk))) lacking.add(sk);
  const tests = await named(db, membersOf(lacking).slice(0, mostLookedUp));
  // A test has a different number in each shard, so its number does not show whether it is new.
  const ranOlder =
    older &&
    (await countPlaces(shards, await shardsOf(await uploadsOfReference(db, searched, older)), tests));
  const isKnown = ({ id, sk }: NamedTest) =>
    !here.unnumbered.has(id) && (ranOlder === null || ranOlder.has(sk));
  const ranBefore = await countPlaces(shards, earlier, tests);
  const isFewer = (ran: ReadonlyMap<number, number>, { sk }: NamedTest) =>
    (ran.get(sk) ?? 0) < (ranBefore.get(sk) ?? 1);
  const ranNow = await countPlaces(shards, current, tests);
  let missing = tests.filter((test) => isKnown(test) && isFewer(ranNow, test));
  const lasts = missing.length === 0 ? [] : await lastOfChange(db, repositoryId, upload);
  for (const reference of lasts) {
    const uploads = await uploadsOfReference(db, searched, reference);
    if (uploads.length < before.length) continue;
    const last = await shardsOf(uploads);
    const ranLast = await countPlaces(shards, last, missing);
    const newest = Math.max(...last.map(({ ran }) => membersOf(ran).at(-1) ?? 0));
    // A test that is newer than that run is not one that the change deletes.
    missing = missing.filter((test) => test.sk > newest || !isFewer(ranLast, test));
  }
  return { tests: missing, awaited };
}

/** The tests of an upload that its reference lacks. At most as many as are looked up. */
export async function addedTests(
  db: Database,
  numbers: NumberSet,
  reference: ReferenceUpload,
): Promise<readonly NamedTest[]> {
  const before = setOf((await numbersOf(reference)) ?? []);
  const added = membersOf(numbers).filter((sk) => !before.has(sk));
  return await named(db, added.slice(0, mostLookedUp));
}

async function named(db: Database, sks: readonly number[]): Promise<readonly NamedTest[]> {
  return [...(await namedTests(db, sks)).values()];
}

/** Each job and variant of a run, with the tests of all of its uploads. Uploads whose results are not complete yet are left out. */
async function shardsOf(uploads: readonly RunUpload[]): Promise<readonly Shard[]> {
  const shards = new Map<string, Shard>();
  for (const upload of uploads) {
    const numbers = await numbersOf(upload);
    if (!numbers) continue;
    const { job, variant } = upload;
    const key = JSON.stringify([job, variant]);
    const { ran } = shards.get(key) ?? { ran: new NumberSet() };
    for (const sk of numbers) ran.add(sk);
    shards.set(key, { job, variant, ran });
  }
  return [...shards.values()];
}

/** The number of shards in which each test ran. Tests that did not run are left out. */
async function countPlaces(
  { known, searched: { repositoryId, scope } }: Pick<Shards, "known" | "searched">,
  shards: readonly Shard[],
  tests: readonly NamedTest[],
): Promise<ReadonlyMap<number, number>> {
  const counts = new Map<number, number>();
  for (const [variant, ofVariant] of Map.groupBy(shards, (shard) => shard.variant)) {
    const ids = new Map(tests.map((test) => [testIdOf(test, { ...scope, variant }, digest), test.sk]));
    for (const some of inBatches(ids.keys(), atATime))
      for (const [id, sk] of await known.numbersOf(repositoryId, some)) {
        const places = ofVariant.filter(({ ran }) => ran.has(sk)).length;
        const test = ids.get(id) ?? sk;
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
