import type { CheckRun, CheckSuite } from "./checks/check.ts";
import type { PullRequest } from "./pulls/pull-request.ts";
import type { Repository } from "./repository.ts";
import type { World } from "./world.ts";

interface RecordedPull {
  readonly pull: PullRequest;
  /** Start of this state, in milliseconds since the epoch. */
  readonly since: number;
}

/** How long past states of pull requests are kept, in milliseconds. */
const keptMs = 5 * 60_000;

/** Keeps past states of repositories, so that a response can show a state from some time ago. */
export class Past {
  readonly #pulls = new WeakMap<PullRequest, RecordedPull[]>();

  constructor(world: World) {
    world.subscribe(async (event) => {
      if ("pull" in event) this.#record(event.pull);
    });
  }

  /**
   * Returns a repository in a past state: its refs, pull requests, checks and statuses. All other properties have their current
   * values. Only for reading.
   *
   * @param at in milliseconds since the epoch
   */
  repositoryAt(repository: Repository, at: number): Repository {
    const refs = repository.git.refs.at(at);
    const git = new Proxy(repository.git, {
      get: (target, key) => {
        if (key === "refs") return refs;
        const value: unknown = Reflect.get(target, key, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    const past: Repository = Object.create(repository);
    const pulls = new Map(
      [...repository.pulls].flatMap(([number, pull]) => {
        const then = this.#pullAt(pull, at);
        if (then === null) return [];
        // The mergeability changes without an event. With the same head, the current one is a close approximation.
        const mergeability = then.head.sha === pull.head.sha ? pull.mergeability : then.mergeability;
        return [[number, movedTo(past, repository, { ...then, mergeability })] as const];
      }),
    );
    const suitesOf = (sha: string) =>
      repository
        .suitesOf(sha)
        .filter(({ createdAt }) => createdAt.getTime() <= at)
        .map((suite) => suiteAt(suite, at));
    const statusesOf = (sha: string) =>
      repository.statusesOf(sha).filter(({ createdAt }) => createdAt.getTime() <= at);
    Object.defineProperties(past, {
      isPast: { value: true },
      git: { value: git },
      pulls: { value: pulls },
      suitesOf: { value: suitesOf },
      statusesOf: { value: statusesOf },
    });
    return past;
  }

  #record(pull: PullRequest): void {
    const recorded = this.#pulls.get(pull) ?? [];
    recorded.push({ pull: copyOf(pull), since: Date.now() });
    // The first remaining record is the state at the start of the kept period.
    while (recorded.length > 1 && (recorded[1]?.since ?? 0) < Date.now() - keptMs) recorded.shift();
    this.#pulls.set(pull, recorded);
  }

  #pullAt(pull: PullRequest, at: number): PullRequest | null {
    const recorded = this.#pulls.get(pull) ?? [];
    return recorded.findLast(({ since }) => since <= at)?.pull ?? null;
  }
}

const copyOf = (pull: PullRequest): PullRequest => ({
  ...pull,
  head: { ...pull.head },
  base: { ...pull.base },
  labels: [...pull.labels],
  comments: [...pull.comments],
  reviews: pull.reviews.map((review) => ({ ...review })),
  threads: pull.threads.map((thread) => ({ ...thread })),
  events: [...pull.events],
});

/** Moves the head repository, too: `isFromFork` compares the two repositories. */
function movedTo(past: Repository, repository: Repository, pull: PullRequest): PullRequest {
  const head = pull.head.repository === repository ? { ...pull.head, repository: past } : pull.head;
  return { ...pull, repository: past, head };
}

function suiteAt(suite: CheckSuite, at: number): CheckSuite {
  const then: CheckSuite = { ...suite, runs: [] };
  if (suite.updatedAt.getTime() > at) then.endedAs = null;
  const began = ({ startedAt }: CheckRun) => (startedAt ?? suite.createdAt).getTime() <= at;
  then.runs = suite.runs.filter(began).map((run) => ({ ...runAt(run, at), suite: then }));
  return then;
}

function runAt(run: CheckRun, at: number): CheckRun {
  if (run.completedAt === null || run.completedAt.getTime() <= at) return run;
  const output = { title: null, summary: null, text: null, annotations: [] };
  return { ...run, status: "in_progress", conclusion: null, completedAt: null, output };
}
