import type { Repository } from "../world/repository.ts";

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
