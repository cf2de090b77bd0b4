import type { Entry } from "../../engine/model/entry.ts";
import { nameKey } from "../../engine/model/names.ts";
import type { RunRecord } from "../../ports/run-record.ts";
import type { HistoryStore } from "../../store/queue/history-store.ts";
import type { ShaMatch } from "../../store/queue/sha-search.ts";
import type { QueueContext } from "../observation/queue-context.ts";
import { type Directory, installed, type PageUrl, type QueueAddress } from "../runtime/directory.ts";
import { accepted, type Outcome } from "../runtime/outcome.ts";
import { isCodeHostFailure, isDenial } from "../workers/retry.ts";
import { judgeTree, type TreeVerdict } from "./tree-proof.ts";

/** A commit or tree of a queue, and the test run that it belongs to. */
export interface TestedCommit {
  readonly queue: QueueAddress;
  /** Unabbreviated. */
  readonly sha: string;
  readonly is: ShaMatch["is"];
  /** The pull request whose head or merge it is; null for what a run tested. */
  readonly pr: number | null;
  /** The run that tested it, or that proves the merge; null = none did, or it is not kept any more. */
  readonly record: RunRecord | null;
  /** The current entries of the run's pull requests. */
  readonly entries: readonly Entry[];
}

/** Whether the tree of a commit was tested. */
export interface CommitProof extends TreeVerdict {
  /** Null = the code host did not answer. */
  readonly treeSha: string | null;
  /** The page of the deciding run; null when there is none, or no dashboard has a public address. */
  readonly runUrl: string | null;
}

/** A job waits for the answer, which must come within 500 ms. */
const patienceMs = 400;
const mostRuns = 50;

/** Answers which run tested a commit or a tree. */
export class TestedCommits {
  readonly #directory: Directory;
  readonly #history: HistoryStore;
  readonly #pageUrl: PageUrl;

  constructor({ directory, stores, settings }: QueueContext) {
    this.#directory = directory;
    this.#history = stores.history;
    this.#pageUrl = settings.pageUrl;
  }

  /**
   * Finds the commits and trees of these queues that begin with a SHA or at least seven digits of one. An abbreviation can match several.
   * @param sha in lower case
   */
  async find(
    addresses: readonly QueueAddress[],
    sha: string,
    limit: number,
  ): Promise<readonly TestedCommit[]> {
    const key = ({ repo, branch }: QueueAddress) => `${nameKey(`${repo.owner}/${repo.name}`)}:${branch}`;
    const wanted = new Set(addresses.map(key));
    const queues = new Map(
      (await this.#directory.list())
        .filter((queue) => wanted.has(key(queue)))
        .map((queue) => [queue.id, queue]),
    );
    const { runs, entries } = await this.#history.findBySha([...queues.keys()], sha, limit);
    const ofRuns = runs.map(({ queueId, runId, ...match }) =>
      this.#present(queueId, { ...match, pr: null }, runId),
    );
    const ofEntries = entries.map(async ({ queueId, pr, ...match }) => {
      const [entry] = (await this.#history.readTested(queueId, { runIds: [], prs: [pr] })).entries;
      return this.#present(queueId, { ...match, pr }, entry ? provingRun(entry) : null);
    });
    const found = await Promise.all([...ofRuns, ...ofEntries]);
    const commits = found.flatMap(({ queueId, ...commit }) => {
      const queue = queues.get(queueId);
      return queue ? [{ ...commit, queue }] : [];
    });
    // A tested commit is often also the merged commit.
    const seen = new Set<string>();
    return commits.filter(({ record, sha: whole, pr }) => {
      const name = `${whole} ${record?.run.id ?? pr}`;
      return !seen.has(name) && seen.add(name);
    });
  }

  /**
   * Whether the queue has tested the tree of a commit, and the tree passed. The code host says which tree it is.
   *
   * @param sha whole, in lower case
   */
  async prove(address: QueueAddress, sha: string): Promise<Outcome<CommitProof>> {
    const queue = await this.#directory.find(address);
    if (!queue.ok) return queue;
    const unproved = { treeSha: null, runUrl: null, test: null, checks: [] };
    const repo = installed(queue.value);
    const treeSha = await inTime(this.#directory.codeHost.treeOf(repo, sha)).catch((error: unknown) => {
      if (!isCodeHostFailure(error)) throw error;
      return isDenial(error) ? ("COMMIT_NOT_FOUND" as const) : null;
    });
    if (treeSha === null) return accepted({ ...unproved, reason: "CODE_HOST_DID_NOT_ANSWER" });
    if (treeSha === "COMMIT_NOT_FOUND") return accepted({ ...unproved, reason: treeSha });
    const found = await this.find([address], treeSha, mostRuns);
    // The runs are not sorted, so the last one may be missing.
    if (found.length >= mostRuns) return accepted({ ...unproved, treeSha, reason: "TOO_MANY_RUNS" });
    const verdict = judgeTree(
      found.flatMap(({ is, sha: whole, record, entries }) =>
        is === "tested_tree" && whole === treeSha && record ? [{ record, entries }] : [],
      ),
    );
    const run = verdict.test?.record.run;
    const page = run ? this.#pageUrl(address, run.members[0]) : null;
    return accepted({ ...verdict, treeSha, runUrl: page && `${page}#run-${run?.id}` });
  }

  async #present(queueId: string, match: Pick<TestedCommit, "sha" | "is" | "pr">, runId: string | null) {
    const { runs } = await this.#history.readTested(queueId, {
      runIds: runId === null ? [] : [runId],
      prs: [],
    });
    const record = runs[0] ?? null;
    const prs = new Set([
      ...(record?.pullRequests.map(({ pr }) => pr) ?? []),
      ...(match.pr === null ? [] : [match.pr]),
    ]);
    const { entries } = await this.#history.readTested(queueId, { runIds: [], prs: [...prs] });
    return { ...match, queueId, record, entries };
  }
}

/** Null when the code host takes too long. */
async function inTime<T>(reading: Promise<T>): Promise<T | null> {
  const { promise: late, resolve } = Promise.withResolvers<null>();
  const timer = setTimeout(resolve, patienceMs, null);
  try {
    return await Promise.race([reading, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The run that proves what merged, or else the last one that tested the pull request. */
export function provingRun({ reason, runId }: Entry): string | null {
  return reason.code === "MERGED_IN_ORDER" ? (reason.verifiedBy ?? runId) : runId;
}
