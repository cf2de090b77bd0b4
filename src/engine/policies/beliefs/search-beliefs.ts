import { type CulpritSearch, type SearchTest, searchTest } from "../culprit-search.ts";
import type { BeliefModel } from "./belief-model.ts";
import type { EntryEvidence } from "./belief-state.ts";
import { checksOf } from "./evidence.ts";

/** Policy `adaptive`: the entries with failures as evidence against them, in groups that failed together, and those tested by themselves. */
export function beliefSearches(model: BeliefModel): CulpritSearch[] {
  const inQuestion = (evidence: EntryEvidence) => evidence.certificates.length === 0;
  const accused = model.accused.filter((evidence) => evidence.reds.length > 0 && inQuestion(evidence));
  const groups: Set<number>[] = [];
  const add = (prs: readonly number[]) => {
    const joined = groups.filter((group) => prs.some((pr) => group.has(pr)));
    for (const group of joined) groups.splice(groups.indexOf(group), 1);
    groups.push(new Set([...prs, ...joined.flatMap((group) => [...group])]));
  };
  for (const { pr, reds } of accused)
    add([pr, ...reds.flatMap(({ others }) => others.filter((other) => model.evidence(other)))]);
  const alone = model.isolated.filter(inQuestion).map(({ pr }) => pr);
  if (alone.length > 0) add(alone);
  return groups.map((group) => searchAmong(model, group));
}

function searchAmong(model: BeliefModel, group: ReadonlySet<number>): CulpritSearch {
  const among = model.inOrder([...group].flatMap((pr) => model.evidence(pr) ?? []));
  const prs = among.map(({ pr }) => pr);
  const suspects = among.filter(({ certificates, reds, isolated }) => {
    return certificates.length === 0 && (reds.length > 0 || isolated);
  });
  return {
    prs,
    suspects: suspects.map((evidence) => ({ pr: evidence.pr, chance: model.belief(evidence) })),
    tests: testsAmong(model, among, prs),
    since: Math.min(...among.map((evidence) => model.entry(evidence).stateChangedAt)),
  };
}

function testsAmong(
  model: BeliefModel,
  among: readonly EntryEvidence[],
  prs: readonly number[],
): SearchTest[] {
  const { runs } = model.state;
  const found = new Map<string, SearchTest>();
  const note = (
    runId: string,
    outcome: SearchTest["outcome"],
    tree: readonly number[],
    failedChecks: readonly string[] = [],
  ) => {
    const tested = prs.filter((pr) => tree.includes(pr));
    const startedAt = runs.get(runId)?.startedAt ?? null;
    found.set(runId, { prs: tested, outcome, runId, startedAt, failedChecks });
  };
  for (const { pr, reds, certificates } of among) {
    for (const { runId, others, failure } of reds) note(runId, "failed", [pr, ...others], checksOf(failure));
    for (const { runId, others } of certificates) note(runId, "passed", [pr, ...others]);
    for (const run of model.ownRuns(pr)) {
      const tree = prs.filter((one) => run.ahead.includes(one) || run.members.includes(one));
      found.set(run.id, searchTest(run, tree));
    }
  }
  return [...found.values()].sort((a, b) => b.prs.length - a.prs.length);
}
