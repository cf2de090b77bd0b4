import { renderProblems } from "../../command/parse-repository-file.ts";
import { isGivenByPerson } from "../../engine/model/actor.ts";
import type { PullRequestFacts } from "../../engine/model/entry.ts";
import type { CodeHost, InstalledRepository } from "../../ports/code-host/code-host.ts";
import type { QueueRecord } from "../../store/queue/queue-store.ts";
import type { ObservationContext } from "../observation/observation-context.ts";
import { OutdatedReading } from "../observation/readings.ts";
import type { RepositoryFiles } from "../observation/repository-files.ts";
import { withHeadChecks } from "../observation/required-checks.ts";
import { installed } from "../runtime/directory.ts";
import { accepted, type Outcome, type Refusal, refused } from "../runtime/outcome.ts";
import type { Submission } from "./queue-requests.ts";
import { requeueRefusal } from "./requeue-limit.ts";

type GivenCommand = Pick<Submission, "actor" | "via" | "expectedHead">;

/** Reads pull requests before they are tested. */
export class TestablePullRequests {
  readonly #context: ObservationContext;

  constructor(context: ObservationContext) {
    this.#context = context;
  }

  /** Like `read`. Refuses if bots have submitted this head as often as they may. */
  async readToSubmit(queue: QueueRecord, pr: number, given: GivenCommand) {
    const read = await this.read(queue, pr, given);
    const limited = read.ok ? await requeueRefusal(this.#context, queue, read.value, given) : null;
    return limited ? refused<PullRequestFacts>(limited) : read;
  }

  /** Reads a pull request now. Refuses if its code may not run on a branch of the repository. */
  async read(queue: QueueRecord, pr: number, given: GivenCommand): Promise<Outcome<PullRequestFacts>> {
    const { settings, directory, files } = this.#context;
    const pullRequest = await this.#read(queue, pr, given);
    if (!pullRequest) return refused({ code: "PR_NOT_FOUND", pr });
    const isOwn = Object.values(settings.branches).some((prefix) => pullRequest.headRef.startsWith(prefix));
    if (isOwn && !pullRequest.fromFork) return refused({ code: "OWN_PULL_REQUEST", pr });
    const base = pullRequest.stack?.baseBranch ?? pullRequest.baseBranch;
    if (isGivenByPerson(given.via) && (await this.#isOfOtherQueue(queue, base)))
      return refused({ code: "OTHER_QUEUE", pr, branch: queue.branch, base });
    const { codeHost } = directory;
    const forbidden = await forkRefusal(
      { codeHost, files },
      installed(queue),
      queue.branch,
      pullRequest,
      given,
    );
    return forbidden ? refused(forbidden) : accepted(pullRequest);
  }

  /**
   * A comment or a label is about the queue of the pull request's base branch. It can name an earlier base branch, if GitHub
   * answered with an outdated reading.
   */
  async #isOfOtherQueue({ repo, branch }: QueueRecord, base: string): Promise<boolean> {
    return base !== branch && (await this.#context.directory.find({ repo, branch: base })).ok;
  }

  /**
   * A denial or an absence may mean that the queue cannot work at all. In that case, the queue reports it. A pull request on which a person
   * gives a command exists, even if the code host does not show it.
   */
  async #read(
    queue: QueueRecord,
    pr: number,
    { via }: Pick<Submission, "via">,
  ): Promise<PullRequestFacts | null> {
    const { directory, reach, readings, runtime, files, clock } = this.#context;
    try {
      const { codeHost } = directory;
      const repo = installed(queue);
      const askedAt = clock.now();
      const pullRequest = await codeHost.readPullRequest(repo, pr);
      const state = await runtime.state(queue.id);
      if (pullRequest)
        await readings.pulls.expectNews({ repo, pullRequest, askedAt, entry: state.entries.get(pr) });
      else if ((await reach.suspect(queue.id)) || isGivenByPerson(via))
        throw new OutdatedReading(`GitHub does not show #${pr}`);
      return pullRequest && (await withHeadChecks({ codeHost, files }, repo, state, pullRequest));
    } catch (error) {
      await reach.suspectFailure(queue.id, error);
      throw error;
    }
  }
}

/** Files in these paths run with the repository's secrets as soon as they are on one of the repository's branches. */
const runsByItself = [".github/workflows", ".github/actions"];

/** On a case-insensitive file system, paths that differ only in case replace the originals. */
const runsInOtherCase = /^\.github\/(?:workflows|actions)\//i;

/**
 * Whether a person may queue a pull request from a fork. Its code runs with the repository's
 * secrets when it is tested. An API token is trusted with what it submits.
 */
export async function forkRefusal(
  {
    codeHost,
    files,
  }: { codeHost: Pick<CodeHost, "changedBetween" | "changedPaths">; files: RepositoryFiles },
  repo: InstalledRepository,
  branch: string,
  { number: pr, fromFork, headSha }: PullRequestFacts,
  { actor, via, expectedHead }: GivenCommand,
): Promise<Refusal | null> {
  // Or named by a bot's token without a channel.
  const isAtCommandLine = via === "api" && actor.kind === "user";
  if (!fromFork || !(isAtCommandLine || isGivenByPerson(via))) return null;
  const parsed = await files.read(repo, branch);
  if (!parsed.ok) {
    const { path, problems } = parsed;
    return { code: "REPOSITORY_FILE_INVALID", path, branch, problems: renderProblems(problems) };
  }
  if (parsed.file.forks === "deny") return { code: "FORKS_DENIED", pr, branch };
  if (isAtCommandLine && expectedHead === null) return { code: "FORK_NEEDS_SHA", pr, head: headSha };
  if (actor.permission === "admin") return null;
  const guarded = [...new Set([...runsByItself, ...parsed.file.protectedPaths])];
  const [changed] = await codeHost.changedBetween(repo, branch, headSha, guarded);
  const path = changed ?? (await codeHost.changedPaths(repo, pr)).find((one) => runsInOtherCase.test(one));
  return path === undefined ? null : { code: "FORK_CHANGES_WORKFLOWS", pr, path, head: headSha };
}
