import type { Entry } from "../../engine/model/entry.ts";
import { nameKey } from "../../engine/model/names.ts";
import type { RunRecord } from "../../ports/run-record.ts";
import type { HistoryStore } from "../../store/queue/history-store.ts";
import type { ShaMatch } from "../../store/queue/sha-search.ts";
import type { Directory, QueueAddress } from "../runtime/directory.ts";

/** A commit or tree of a queue, and the test run that it belongs to. */
export interface TestedCommit {
  readonly queue: QueueAddress;
  /** Whole. */
  readonly sha: string;
  readonly is: ShaMatch["is"];
  /** The pull request whose head or merge it is; null for what a run tested. */
  readonly pr: number | null;
  /** The run that tested it, or that proves the merge; null = none did, or it is not kept any more. */
  readonly record: RunRecord | null;
  /** The pull requests of the run as they are now. */
  readonly entries: readonly Entry[];
}

/** Answers which run tested a commit or a tree. */
export class TestedCommits {
  readonly #directory: Directory;
  readonly #history: HistoryStore;

  constructor(directory: Directory, history: HistoryStore) {
    this.#directory = directory;
    this.#history = history;
  }

  /**
   * Finds what begins with a SHA, or with at least seven digits of one, in these queues. An abbreviation can belong to several.
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
    // What a run tested is often also what merged.
    const seen = new Set<string>();
    return commits.filter(({ record, sha: whole, pr }) => {
      const name = `${whole} ${record?.run.id ?? pr}`;
      return !seen.has(name) && seen.add(name);
    });
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

/** The run that proves what merged, or else the last one that tested the pull request. */
export function provingRun({ reason, runId }: Entry): string | null {
  return reason.code === "MERGED_IN_ORDER" ? (reason.verifiedBy ?? runId) : runId;
}
