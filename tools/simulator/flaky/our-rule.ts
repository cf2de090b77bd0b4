import { flakyPlacesOf, isFlakyAt } from "../../../src/flaky/detection/flaky-failures.ts";
import {
  newHistory,
  proofsOf,
  provenAt,
  statusOf,
  type TestHistory,
} from "../../../src/flaky/detection/history.ts";
import { isSuspect, rememberedUploads } from "../../../src/flaky/detection/infrastructure.ts";
import { pullRequestName } from "../../../src/flaky/detection/pull-requests.ts";
import { defaultDetectionSettings as settings } from "../../../src/flaky/detection/settings.ts";
import {
  defaultQuarantineSettings,
  wilsonInterval,
} from "../../../src/flaky/quarantine/decide-quarantine.ts";
import { evaluateUploads } from "../../../src/flaky/service/evaluation/evaluate-uploads.ts";
import { planQuarantines } from "../../../src/flaky/service/evaluation/plan-quarantines.ts";
import { UploadRenames } from "../../../src/flaky/service/evaluation/upload-renames.ts";
import type { TestRename } from "../../../src/flaky/store/history/renames.ts";
import type {
  QuarantineCandidate,
  QuarantineRevision,
} from "../../../src/flaky/store/quarantines/quarantine-store.ts";
import { MemoryRenames, MemoryStore, type MemoryUpload, resultsOf } from "./memory-store.ts";
import type { FlakyRule, SimulatedUpload } from "./rule.ts";

/**
 * The service's own rules on a generated history: the code that evaluates uploads and plans quarantines, with a store without a
 * database.
 */
export function createOurRule(numbers: number, tests = numbers): FlakyRule {
  const flagged = new Map<number, number>();
  const store = new MemoryStore();
  const names = new MemoryRenames(tests);
  /** The new numbers of renamed tests, by the old ones. */
  const newer = new Map<number, number>();
  const quarantines = new Map<number, QuarantineRevision>();
  const isKept = createInfrastructureFilter(tests);
  let uploads = 0;

  function forgiven({ kind, line, pr, at, failed }: SimulatedUpload): ReadonlySet<number> {
    const place = { at, line, pullRequests: kind === "stable" ? [] : [pullRequestName(pr)] };
    const isForgiven = (test: number) => {
      const history = store.tests.get(test);
      if (!history) return false;
      const places = flakyPlacesOf(history, settings);
      const isHeld = quarantines.get(test)?.isQuarantined ?? false;
      return isHeld && isFlakyAt(places, place);
    };
    const isForgivenByAnyName = (test: number) => isForgiven(test) || isForgiven(newer.get(test) ?? test);
    return new Set(failed.map(({ test }) => test).filter(isForgivenByAnyName));
  }

  function follow({ from, to, isRetired, at }: TestRename): void {
    const held = quarantines.get(from);
    if (held) quarantines.set(to, { ...held, sk: to });
    if (held?.isQuarantined) flagged.set(to, flagged.get(to) ?? at);
    if (!isRetired) return;
    quarantines.delete(from);
    newer.set(from, to);
  }

  async function see(upload: SimulatedUpload): Promise<void> {
    uploads += 1;
    const stored = storedAs(upload, uploads, { numbers, tests }, !isKept(upload));
    const found = await evaluateUploads([stored], store, settings, new UploadRenames(names), async () =>
      upload.kind === "stable" ? [] : [`#${upload.pr}`, ...upload.changes],
    );
    const { changed, sharedPlaces, renames } = found;
    for (const rename of renames) follow(rename);
    if (sharedPlaces.length > 0) store.shared = sharedPlaces;
    store.keep(stored, changed);
    names.keep(stored);
    if (changed.size > 0) plan(upload.at);
  }

  function plan(at: number): void {
    const since = at - settings.flips.window;
    const harm = new Map<number, number>();
    const candidates: QuarantineCandidate[] = [];
    for (const [sk, history] of store.tests) {
      const held = quarantines.get(sk);
      if (statusOf(history).status !== "FLAKY" && !held?.isQuarantined) continue;
      const { failures, runs } = store.countsOf(sk, since);
      harm.set(sk, wilsonInterval(failures, runs).low);
      candidates.push(candidateOf(sk, history, held));
    }
    const harmOf = (sk: number) => harm.get(sk) ?? 0;
    const proofs = (sk: number) => proofsOf(store.tests.get(sk) ?? newHistory(at));
    const scene = { candidates, tests, settings: defaultQuarantineSettings };
    for (const revision of planQuarantines(scene, at, { proofsOf: proofs, harmOf }).revisions) {
      quarantines.set(revision.sk, revision);
      if (revision.isQuarantined && !flagged.has(revision.sk)) flagged.set(revision.sk, at);
    }
  }

  return { forgiven, see, flagged };
}

/** Returns a function that tells whether an upload is not suspect, compared to earlier uploads. */
export function createInfrastructureFilter(tests: number): (upload: SimulatedUpload) => boolean {
  const recent: number[] = [];
  return ({ failed }) => {
    if (isSuspect({ tests, failed: failed.length }, recent, settings)) return false;
    if (failed.length > 0) recent.push(failed.length);
    if (recent.length > rememberedUploads) recent.shift();
    return true;
  };
}

function storedAs(
  of: SimulatedUpload,
  id: number,
  { numbers, tests }: { numbers: number; tests: number },
  isSuspectUpload: boolean,
): MemoryUpload {
  const { at, kind, pr, branch, line, head, tree, runId, attempt } = of;
  return {
    ...{ id, at, kind, branch, line, runId, of },
    ...{ repositoryId: 1, workflow: "", job: "test", step: "" },
    variant: String(of.variant ?? ""),
    pr: kind === "pr" ? pr : null,
    headSha: head,
    treeSha: tree,
    runAttempt: attempt,
    isSuspect: isSuspectUpload,
    results: { [Symbol.iterator]: () => resultsOf(of, numbers, tests) },
  };
}

function candidateOf(
  sk: number,
  history: TestHistory,
  held: QuarantineRevision | undefined,
): QuarantineCandidate {
  return {
    ...{ sk, id: String(sk), name: String(sk), parent: null, file: null, classname: null, variant: "" },
    owners: null,
    ticketUrl: null,
    mode: "AUTO",
    status: statusOf(history),
    provenAt: provenAt(history),
    isQuarantined: held?.isQuarantined ?? false,
    quarantine: held?.quarantine ?? null,
  };
}
