import { hash } from "node:crypto";
import { setImmediate as nextRound } from "node:timers/promises";
import { inBatches } from "../../../engine/collections/in-batches.ts";
import type { Database } from "../../../store/sqlite/schema.ts";
import { type TestName, type TestScope, testIdOf } from "../../identity.ts";
import { UnreadableEvidence } from "../../unreadable-evidence.ts";
import { readResults } from "../history/damaged-evidence.ts";
import type { KnownTests } from "../identities/known-tests.ts";
import { namedTests } from "../identities/test-cases.ts";
import { NumberSet } from "../packing/number-set.ts";
import {
  type ComparedUpload,
  isOfPlace,
  lastOfChange,
  type ReferenceUpload,
  type RunUpload,
  recentReferences,
  referencesOf,
  uploadsOfReference,
  uploadsOfRun,
} from "./reference-uploads.ts";
import type { TestResult } from "./upload-records.ts";

/** Tests that an upload lacks. */
export interface MissingTests {
  readonly count: number;
  /** The names of some; empty when they are not known. */
  readonly names: readonly string[];
}

/** An upload that is compared with earlier ones. */
export interface SearchedUpload {
  readonly repositoryId: number;
  /** The parts of a test's id that come from the repository. */
  readonly scope: Omit<TestScope, "variant">;
  readonly upload: ComparedUpload;
  readonly cases: number;
  /** Null when not all of its tests are identified yet. */
  readonly results: Iterable<TestResult> | null;
}

type NamedTest = TestName & { readonly sk: number; readonly id: string };

/** A search in progress. */
interface Search {
  readonly db: Database;
  readonly known: KnownTests;
  readonly searched: SearchedUpload;
  readonly reference: ReferenceUpload;
}

/** The number of results to read before other work runs. */
const atATime = 4_000;
const mostNames = 3;
/** The maximum number of missing tests that are looked up. If there are more, suites are missing. */
const mostLookedUp = 20_000;
/** How many of an upload's new tests are looked up, to see whether they ran in another shard before. */
const mostMoved = 100;

/**
 * Finds the tests that an upload should have: those of its tree's or its base's last complete run, without those that the change
 * deletes. The tests of a change that has not merged are not expected. Null when none is missing.
 */
export async function findMissingTests(
  db: Database,
  known: KnownTests,
  searched: SearchedUpload,
): Promise<MissingTests | null> {
  const { repositoryId, upload, cases, results } = searched;
  const references = await referencesOf(db, repositoryId, upload);
  const [reference] = references;
  if (!reference) return null;
  const expected = results && (await numbersOfAll(references));
  // Names cannot be compared.
  if (!expected) return cases < reference.cases ? { count: reference.cases - cases, names: [] } : null;
  const here = await collectTests(results);
  const missing = expected.filter((sk) => !here.numbers.has(sk));
  if (missing.length === 0) return null;
  if (missing.length > mostLookedUp) return { count: missing.length, names: [] };
  const named = [...(await namedTests(db, missing)).values()].filter(({ id }) => !here.unnumbered.has(id));
  const kept = await withoutDeleted(named, await lastOfChange(db, repositoryId, upload));
  const added = await addedTests(db, here, reference);
  const search = { db, known, searched, reference };
  const absent = await withoutMoved(search, added, withoutGenerated(kept, added));
  if (absent.length === 0) return null;
  return { count: absent.length, names: absent.slice(0, mostNames).map(({ name }) => name) };
}

/** The numbers of the tests that all references have. Null when one of them cannot be read, or lacks results. */
async function numbersOfAll(references: readonly ReferenceUpload[]): Promise<readonly number[] | null> {
  let common: readonly number[] | null = null;
  for (const reference of references) {
    const numbers = await numbersOf(reference);
    if (!numbers) return null;
    if (common === null) {
      common = numbers;
      continue;
    }
    const others = new NumberSet();
    for (const sk of numbers) others.add(sk);
    common = common.filter((sk) => others.has(sk));
  }
  return common;
}

async function numbersOf(reference: ReferenceUpload): Promise<readonly number[] | null> {
  const numbers: number[] = [];
  try {
    for (const some of inBatches(readResults(reference), atATime)) {
      for (const { sk } of some) numbers.push(sk);
      await nextRound();
    }
    return numbers;
  } catch (error) {
    if (error instanceof UnreadableEvidence) return null;
    throw error;
  }
}

/** The tests of an upload. */
interface Tests {
  readonly numbers: NumberSet;
  /** The ids of tests without a number. An upload that is not stored may have such tests. */
  readonly unnumbered: ReadonlySet<string>;
}

async function collectTests(results: Iterable<TestResult>): Promise<Tests> {
  const numbers = new NumberSet();
  const unnumbered = new Set<string>();
  for (const some of inBatches(results, atATime)) {
    for (const { id, sk } of some) {
      if (sk === undefined) unnumbered.add(id);
      else numbers.add(sk);
    }
    await nextRound();
  }
  return { numbers, unnumbered };
}

/**
 * A test that the last run of the same change lacked is deleted by it, unless the test is newer than that run. Tests are numbered
 * in the order in which they first ran.
 */
async function withoutDeleted(
  tests: readonly NamedTest[],
  last: ReferenceUpload | null,
): Promise<readonly NamedTest[]> {
  const numbers = last && (await numbersOf(last));
  if (!numbers) return tests;
  const had = new NumberSet();
  for (const sk of numbers) had.add(sk);
  // Results are stored in the order of their tests' numbers.
  const newest = numbers.at(-1) ?? 0;
  return tests.filter(({ sk }) => had.has(sk) || sk > newest);
}

/** The tests of an upload that its reference lacks; at most as many as are looked up. */
async function addedTests(
  db: Database,
  { numbers }: Pick<Tests, "numbers">,
  reference: ReferenceUpload,
): Promise<readonly NamedTest[]> {
  const before = new NumberSet();
  for (const sk of (await numbersOf(reference)) ?? []) before.add(sk);
  const added = numbers.above(-1, Number.POSITIVE_INFINITY).filter((sk) => !before.has(sk));
  return [...(await namedTests(db, added.slice(0, mostLookedUp))).values()];
}

/**
 * Some names differ in each run, because they contain a time or an id. Such a test has run if one with a like name has. Short
 * numbers are not such parts: `case 7` does not replace `case 6`.
 */
function withoutGenerated(tests: readonly NamedTest[], added: readonly NamedTest[]): readonly NamedTest[] {
  const alike = new Map<string, number>();
  for (const test of added) {
    const key = maskedName(test);
    alike.set(key, (alike.get(key) ?? 0) + 1);
  }
  return tests.filter((test) => {
    const key = maskedName(test);
    const left = alike.get(key) ?? 0;
    alike.set(key, left - 1);
    return left <= 0;
  });
}

const generatedPart =
  /\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b|\b0x[\da-f]+\b|\b\d{4}-\d\d-\d\d\b|\b\d\d:\d\d:\d\d\b|\d{6,}/gi;

function maskedName({ name, parent, file, classname }: TestName): string {
  return [name, parent, file, classname]
    .map((part) => (part ?? "").replaceAll(generatedPart, "\u0001"))
    .join("\0");
}

/**
 * If tests move between the shards of a job, a shard lacks a test only if all shards of the run have reported and the test ran in
 * fewer of them than in the reference's run. In a matrix of systems, each system runs the test.
 */
async function withoutMoved(
  { db, known, searched, reference }: Search,
  added: readonly NamedTest[],
  missing: readonly NamedTest[],
): Promise<readonly NamedTest[]> {
  const { repositoryId, upload } = searched;
  if (missing.length === 0) return missing;
  const before = await uploadsOfReference(db, repositoryId, upload, reference);
  const others = before.filter(({ id }) => id !== reference.id);
  if (others.length === 0) return missing;
  const all = await uploadsOfRun(db, repositoryId, upload);
  const now = all.filter((one) => !isOfPlace(one, upload) || one.run_attempt === upload.runAttempt);
  const countPlaces = (uploads: readonly RunUpload[], tests: readonly NamedTest[]) =>
    countPlacesOf(known, searched, uploads, tests);
  const ranBefore = await countPlaces(before, missing);
  const ranNow = await countPlaces(now, missing);
  const hasMoved = ({ sk }: NamedTest) => (ranNow.get(sk) ?? 0) >= (ranBefore.get(sk) ?? 1);
  const doMove =
    missing.some(hasMoved) ||
    (await countPlaces(others, added.slice(0, mostMoved))).size > 0 ||
    (await didMove({ db, known, searched, reference }));
  if (!doMove) return missing;
  const first = ({ run_attempt }: RunUpload) => run_attempt === 1;
  const arrived = now.filter(first).length + (upload.runAttempt === 1 ? 1 : 0);
  if (arrived < before.filter(first).length) return [];
  return missing.filter((test) => !hasMoved(test));
}

/** Whether tests of the reference ran in another shard in an older run. */
async function didMove({ db, known, searched, reference }: Search): Promise<boolean> {
  const { repositoryId, upload } = searched;
  const older = (await recentReferences(db, repositoryId, upload)).find(({ id }) => id < reference.id);
  if (!older) return false;
  const numbers = new NumberSet();
  for (const sk of (await numbersOf(reference)) ?? []) numbers.add(sk);
  const added = await addedTests(db, { numbers }, older);
  const uploads = await uploadsOfReference(db, repositoryId, upload, older);
  const others = uploads.filter(({ id }) => id !== older.id);
  return (await countPlacesOf(known, searched, others, added.slice(0, mostMoved))).size > 0;
}

/** In how many jobs and variants tests ran. Tests that did not run are left out. */
async function countPlacesOf(
  known: KnownTests,
  { repositoryId, scope }: SearchedUpload,
  uploads: readonly RunUpload[],
  tests: readonly NamedTest[],
): Promise<ReadonlyMap<number, number>> {
  const counts = new Map<number, number>();
  for (const [variant, ofVariant] of Map.groupBy(uploads, (upload) => upload.variant)) {
    const ids = new Map(tests.map((test) => [testIdOf(test, { ...scope, variant }, digest), test.sk]));
    const numbers: (readonly [sk: number, inVariant: number])[] = [];
    for (const some of inBatches(ids.keys(), atATime))
      for (const [id, inVariant] of await known.numbersOf(repositoryId, some))
        numbers.push([ids.get(id) ?? inVariant, inVariant]);
    for (const ofJob of Map.groupBy(ofVariant, ({ job }) => job).values()) {
      const ran = new NumberSet();
      for (const upload of ofJob) for (const sk of (await numbersOf(upload)) ?? []) ran.add(sk);
      for (const [sk, inVariant] of numbers)
        if (ran.has(inVariant)) counts.set(sk, (counts.get(sk) ?? 0) + 1);
    }
  }
  return counts;
}

const digest = (algorithm: "sha1" | "sha256", bytes: Uint8Array) => hash(algorithm, bytes);
