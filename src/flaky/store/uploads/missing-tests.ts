import { setImmediate as nextRound } from "node:timers/promises";
import { inBatches } from "../../../engine/collections/in-batches.ts";
import type { Database } from "../../../store/sqlite/schema.ts";
import { maskGenerated } from "../../generated-parts.ts";
import type { TestName } from "../../identity.ts";
import type { MissingTests } from "../../quarantine/judge-upload.ts";
import type { KnownTests, NumberedTest } from "../identities/known-tests.ts";
import { NumberSet } from "../packing/number-set.ts";
import { addedTests, doMove, findShards, missingInRun, mostLookedUp } from "./missing-in-shards.ts";
import {
  type CollectedTests,
  lastOfChange,
  numbersOf,
  type ReferenceUpload,
  referencesOf,
  type SearchedUpload,
} from "./reference-uploads.ts";
import type { TestResult } from "./upload-records.ts";

/** The number of results to read before other work runs. */
const atATime = 4_000;
const mostNames = 3;

/**
 * Finds the tests that an upload lacks. Expected are the tests of the last complete run of its tree or base, except those that the change
 * deletes. Tests of changes that have not merged are not expected. Null when none is missing.
 */
export async function findMissingTests(
  db: Database,
  known: KnownTests,
  searched: SearchedUpload,
): Promise<MissingTests | null> {
  const { repositoryId, upload, cases, results } = searched;
  const references = await referencesOf(db, repositoryId, upload);
  const [reference, older = null] = references;
  if (!reference) return null;
  const expected = results && (await numbersOfAll(references));
  // Without the names, only the numbers of tests are compared.
  if (!expected) return cases < reference.cases ? missing(reference.cases - cases, []) : null;
  const here = await collectTests(known, repositoryId, results);
  const lacking = expected.filter((sk) => !here.numbers.has(sk));
  if (lacking.length > mostLookedUp) return missing(lacking.length, []);
  if (lacking.length === 0) return null;
  const shards = await findShards({ db, known, searched, here, reference, older });
  const named = await known.withNumbers(repositoryId, lacking);
  const absent = named.filter(({ id }) => !here.unnumbered.has(id));
  let kept: readonly NumberedTest[] = absent;
  for (const last of await lastOfChange(db, repositoryId, upload)) kept = await withoutDeleted(kept, last);
  const isOfInterest = shards !== null || kept.length > 0;
  const added = isOfInterest ? await addedTests({ known, searched }, here.numbers, reference) : [];
  const own = withoutGenerated(kept, added);
  if (!shards || !(await doMove(shards, added, own))) return missing(own.length, own);
  const { count, tests, awaited } = await missingInRun(shards);
  const ofRun = withoutGenerated(tests, added);
  return missing(count - tests.length + ofRun.length, ofRun, awaited);
}

function missing(count: number, tests: readonly NumberedTest[], awaitedShards = 0): MissingTests | null {
  if (count === 0) return null;
  return { count, names: tests.slice(0, mostNames).map(({ name }) => name), awaitedShards };
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

async function collectTests(
  known: KnownTests,
  repositoryId: number,
  results: Iterable<TestResult>,
): Promise<CollectedTests> {
  const numbers = new NumberSet();
  const unnumbered = new Set<string>();
  for (const some of inBatches(results, atATime)) {
    const ids: string[] = [];
    for (const { id, sk } of some) {
      if (sk === undefined) ids.push(id);
      else numbers.add(sk);
    }
    const found = ids.length === 0 ? null : await known.numbersOf(repositoryId, ids);
    for (const id of ids) {
      const sk = found?.get(id);
      if (sk === undefined) unnumbered.add(id);
      else numbers.add(sk);
    }
    await nextRound();
  }
  return { numbers, unnumbered };
}

/**
 * Leaves out tests that the change deletes: those that the last run of the same change lacked, unless the test is newer than that run.
 * Tests are numbered in the order in which they first ran.
 */
async function withoutDeleted(
  tests: readonly NumberedTest[],
  last: ReferenceUpload,
): Promise<readonly NumberedTest[]> {
  const numbers = await numbersOf(last);
  if (!numbers) return tests;
  const had = new NumberSet();
  for (const sk of numbers) had.add(sk);
  // Results are stored in the order of their tests' numbers.
  const newest = numbers.at(-1) ?? 0;
  return tests.filter(({ sk }) => had.has(sk) || sk > newest);
}

/**
 * Some names differ in each run, because they contain a time or an id. Such a test has run if a test with the same name apart from these
 * parts has. Short numbers are not ignored: `case 7` does not replace `case 6`.
 */
function withoutGenerated(
  tests: readonly NumberedTest[],
  added: readonly NumberedTest[],
): readonly NumberedTest[] {
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

function maskedName({ name, parent, file, classname }: TestName): string {
  return [name, parent, file, classname].map((part) => maskGenerated(part ?? "")).join("\0");
}
