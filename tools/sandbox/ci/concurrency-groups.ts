import type { Account } from "../world/account.ts";
import type { Repository } from "../world/repository.ts";
import type { WorkflowEvent } from "./workflow.ts";

/** A run that is running or pending in its concurrency group. */
export interface GroupMember {
  begin(): Promise<void>;
  /** Ends the run, which makes it leave its group. */
  cancel(): Promise<void>;
}

interface Group {
  running: GroupMember;
  pending: GroupMember | null;
}

/**
 * At most one run is running and one is pending in each concurrency group of a repository. A newer run replaces the pending run,
 * which is cancelled. With `cancel-in-progress`, it also cancels the running one.
 * https://docs.github.com/en/actions/how-tos/write-workflows/choose-when-workflows-run/control-workflow-concurrency
 */
export class ConcurrencyGroups {
  readonly #groups = new WeakMap<Repository, Map<string, Group>>();

  async enter(
    repository: Repository,
    name: string,
    member: GroupMember,
    cancelInProgress: boolean,
  ): Promise<void> {
    const groups = this.#groups.get(repository) ?? new Map<string, Group>();
    this.#groups.set(repository, groups);
    const group = groups.get(name);
    if (group === undefined) {
      groups.set(name, { running: member, pending: null });
      return member.begin();
    }
    const { pending } = group;
    group.pending = member;
    await pending?.cancel();
    if (cancelInProgress) await group.running.cancel();
  }

  /** Removes a run that has ended. If it was running, the pending run begins. */
  async leave(repository: Repository, name: string, member: GroupMember): Promise<void> {
    const groups = this.#groups.get(repository);
    const group = groups?.get(name);
    if (group?.pending === member) group.pending = null;
    if (group?.running !== member) return;
    if (group.pending === null) {
      groups?.delete(name);
      return;
    }
    const next = group.pending;
    Object.assign(group, { running: next, pending: null });
    await next.begin();
  }
}

/** The values that an expression can name. */
interface GroupContext {
  event: WorkflowEvent;
  workflow: string;
  /** The branch that was pushed to, or the pull request's head branch. */
  branch: string;
  /** The pull request; null for a push. */
  pr: number | null;
  runId: number;
}

const expression = /\$\{\{([^}]*)\}\}/g;

const names: Readonly<Record<string, (context: GroupContext) => string>> = {
  "github.workflow": ({ workflow }) => workflow,
  "github.event_name": ({ event }) => event,
  "github.ref": ({ pr, branch }) => (pr === null ? `refs/heads/${branch}` : `refs/pull/${pr}/merge`),
  "github.ref_name": ({ pr, branch }) => (pr === null ? branch : `${pr}/merge`),
  "github.head_ref": ({ pr, branch }) => (pr === null ? "" : branch),
  "github.event.pull_request.number": ({ pr }) => (pr === null ? "" : String(pr)),
  "github.run_id": ({ runId }) => String(runId),
};

const operandsOf = (source: string) => source.split("||").map((operand) => operand.trim());

/** @throws for a group with a name that the sandbox does not know */
export function checkGroup(group: string): void {
  for (const [, source = ""] of group.matchAll(expression)) {
    const unknown = operandsOf(source).find((operand) => !(operand in names));
    if (unknown !== undefined) throw new Error(`concurrency group ${group}: ${unknown} is not known`);
  }
}

/**
 * Evaluates the group of a run. It contains names in `${{ }}`; `||` takes the first value that is not empty. Groups are compared
 * case-insensitively.
 */
export function groupOf(group: string, context: GroupContext): string {
  return group
    .replace(expression, (_, source: string) => {
      const values = operandsOf(source).map((operand) => names[operand]?.(context) ?? "");
      return values.find((value) => value !== "") ?? "";
    })
    .toLowerCase();
}

interface Pool {
  busy: number;
  /** In the order of their requests. */
  waiting: Set<() => void>;
}

/** The runners that all repositories of an owner share. */
export class Runners {
  readonly #limit: number;
  readonly #pools = new Map<Account, Pool>();

  /** @param limit number of runners of each owner */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Calls `begin` when a runner is free. Returns a function that returns the runner or stops waiting for one. */
  take(owner: Account, begin: () => void): () => void {
    const pool = this.#pools.get(owner) ?? { busy: 0, waiting: new Set() };
    this.#pools.set(owner, pool);
    let isBusy = false;
    const start = () => {
      isBusy = true;
      pool.busy += 1;
      begin();
    };
    if (pool.busy < this.#limit) start();
    else pool.waiting.add(start);
    return () => {
      pool.waiting.delete(start);
      if (!isBusy) return;
      isBusy = false;
      pool.busy -= 1;
      const [next] = pool.waiting;
      if (next === undefined) return;
      pool.waiting.delete(next);
      next();
    };
  }
}
