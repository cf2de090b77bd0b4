import { joinHistories, newHistory, observe, statusOf, type TestHistory } from "../../detection/history.ts";
import type { Observation } from "../../detection/line-history.ts";
import { type RunSource, sourceOf } from "../../detection/pull-requests.ts";
import type { RunCount } from "../../detection/recovery.ts";
import type { DetectionSettings } from "../../detection/settings.ts";
import type { TestRename } from "../../store/history/renames.ts";
import type { SharedPlace, TestEvaluationStore } from "../../store/history/test-evaluation-store.ts";
import type { StoredUpload } from "../../store/uploads/stored-uploads.ts";
import type { StatusChanges } from "../test-messages.ts";
import {
  failuresOf,
  forEachResult,
  SharedPlaces,
  type TreeEvidence,
  treeEvidenceOf,
} from "./tree-evidence.ts";

type Reads = Pick<
  TestEvaluationStore,
  "beforeOnTree" | "histories" | "countRuns" | "sharedPlaces" | "newMessages"
>;

/** Histories of tests by number, after the uploads and before them. */
export interface EvaluatedHistories {
  readonly changed: ReadonlyMap<number, TestHistory>;
  readonly before: ReadonlyMap<number, TestHistory>;
  readonly sharedPlaces: readonly SharedPlace[];
  readonly renames: readonly TestRename[];
}

/** Finds the renames in uploads, which must be passed in order. None are found in shared places. */
export interface RenameSource {
  of(upload: StoredUpload, isShared: boolean): Promise<readonly TestRename[]>;
}

/** Finds the changes of an upload that are on no stable branch (`RunSource`); null = unknown. */
export type FindChanges = (upload: StoredUpload) => Promise<readonly string[] | null>;

/** An upload that is evidence. An upload of unknown kind is not: its failures may have any cause. */
type Evidence = StoredUpload & { readonly kind: RunSource["kind"] };

/** The histories that uploads of one repository change. The uploads are processed in order of arrival. */
export async function evaluateUploads(
  uploads: readonly StoredUpload[],
  store: Reads,
  settings: DetectionSettings,
  renamesOf: RenameSource,
  findChanges: FindChanges,
): Promise<EvaluatedHistories> {
  const [first] = uploads;
  if (!first) return { changed: new Map(), before: new Map(), sharedPlaces: [], renames: [] };
  const evidence = uploads.filter(isEvidence);
  const known = await store.histories(first.repositoryId);
  const { repositoryId } = first;
  const places = new SharedPlaces(repositoryId, await store.sharedPlaces(repositoryId));
  const failing = new Set<number>();
  const found = new Map<StoredUpload, TreeEvidence>();
  for (const upload of evidence) {
    for (const sk of await failuresOf(upload)) failing.add(sk);
    const onTree = await treeEvidenceOf(upload, store, places, settings);
    found.set(upload, onTree);
    for (const { tests } of onTree.flips) for (const sk of tests) failing.add(sk);
    for (const one of onTree.run) for (const sk of await failuresOf(one)) failing.add(sk);
  }
  const counts = new Map(await store.countRuns([...failing], first.at - settings.flips.window));
  const changed = new Map<number, TestHistory>();
  const before = new Map(known);
  const renames: TestRename[] = [];
  const historyOf = (sk: number) => changed.get(sk) ?? known.get(sk);

  function addObservation(sk: number, line: string, observation: Observation): void {
    const history = historyOf(sk) ?? newHistory(observation.at);
    const countRuns = () => counts.get(sk) ?? noRuns;
    const after = observe(history, line, observation, { settings, countRuns });
    if (after !== history) changed.set(sk, after);
  }

  /** Gives the new name the history of the earlier one. Nothing is announced, because the test's status does not change. */
  async function follow(rename: TestRename): Promise<void> {
    const { from, to, at, isRetired } = rename;
    renames.push(rename);
    const [earlier, later] = [historyOf(from), historyOf(to)];
    if (earlier) {
      const joined = later ? joinHistories(earlier, later) : earlier;
      changed.set(to, joined);
      before.set(to, joined);
      if (isRetired) changed.set(from, newHistory(at));
      if (isRetired) before.set(from, newHistory(at));
    }
    const count = counts.get(to);
    if (!count) return;
    const { runs, failures } =
      (await store.countRuns([from], at - settings.flips.window)).get(from) ?? noRuns;
    counts.set(to, { runs: count.runs + runs, failures: count.failures + failures });
  }

  for (const upload of evidence) {
    const { flips, run } = found.get(upload) ?? { flips: [], run: [] };
    const { at, treeSha: tree, line, runAttempt } = upload;
    const source = sourceOf(upload);
    const isShared = places.uploadsOf(upload) > 1;
    for (const rename of await renamesOf.of(upload, isShared)) await follow(rename);
    await forEachResult(upload, ({ sk, first: outcome }) => {
      const count = counts.get(sk);
      if (outcome !== "skipped" && count) counts.set(sk, counted(count, outcome === "failed"));
    });
    const changes = flips.length > 0 ? await findChanges(upload) : null;
    const flipped = { kind: "flip", at, tree, source: changes ? { ...source, changes } : source } as const;
    for (const { tests, weight } of flips)
      for (const sk of tests) addObservation(sk, line, { ...flipped, weight });
    const watched = await outcomesOf(run, (sk) => historyOf(sk) !== undefined);
    const failed = [...watched].filter(([sk, outcome]) => outcome === "failed" && historyOf(sk));
    const news = await store.newMessages(
      upload,
      failed.map(([sk]) => sk),
    );
    const same = { kind: "run", at, tree, source, isRerun: runAttempt > 1 } as const;
    for (const [sk, outcome] of watched)
      addObservation(sk, line, { ...same, outcome, isNewMessage: outcome === "failed" && news.has(sk) });
  }
  return { changed, before, sharedPlaces: places.found(), renames };
}

const noRuns: RunCount = { runs: 0, failures: 0 };

function isEvidence(upload: StoredUpload): upload is Evidence {
  const { kind, isSuspect } = upload;
  return !isSuspect && (kind === "pr" || kind === "stable" || kind === "queue");
}

/** The outcomes of tests that failed or have a history. A failure in any of the uploads counts as failed. */
async function outcomesOf(
  uploads: readonly StoredUpload[],
  isKnown: (sk: number) => boolean,
): Promise<ReadonlyMap<number, "passed" | "failed">> {
  const outcomes = new Map<number, "passed" | "failed">();
  for (const upload of uploads)
    await forEachResult(upload, ({ sk, first }) => {
      if (first === "failed") outcomes.set(sk, first);
      else if (first === "passed" && !outcomes.has(sk) && isKnown(sk)) outcomes.set(sk, first);
    });
  return outcomes;
}

function counted({ runs, failures }: RunCount, failed: boolean): RunCount {
  return { runs: runs + 1, failures: failures + (failed ? 1 : 0) };
}

/** The tests whose status has changed, with each change. Usually there are none. */
export async function statusChangesOf(
  { changed, before }: EvaluatedHistories,
  store: Pick<TestEvaluationStore, "named">,
): Promise<readonly StatusChanges[]> {
  const found = [...changed].flatMap(([sk, history]) => {
    const earlier = before.get(sk) ?? newHistory(0);
    const changes = changesSince(earlier, history);
    return changes.length > 0 ? [{ sk, before: statusOf(earlier).status, changes }] : [];
  });
  if (found.length === 0) return [];
  const tests = await store.named(found.map(({ sk }) => sk));
  return found.flatMap(({ sk, ...rest }) => {
    const test = tests.get(sk);
    return test ? [{ test, ...rest }] : [];
  });
}

/** Unchanged entries keep their object identity, so each new object is a new change. The first entry of a new history is not a change. */
function changesSince(before: TestHistory, { changes }: TestHistory) {
  const known = new Set(before.changes);
  return changes.filter((change) => !known.has(change) && change.reason.code !== "NOTHING_KNOWN");
}
