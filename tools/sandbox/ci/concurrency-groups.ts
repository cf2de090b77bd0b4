import type { Repository } from "../world/repository.ts";

/** A run that waits for its group, or has it. */
export interface GroupMember {
  begin(): Promise<void>;
  /** Ends it; it leaves its group by that. */
  cancel(): Promise<void>;
}

interface Group {
  running: GroupMember;
  pending: GroupMember | null;
}

/**
 * In each concurrency group of a repository at most one run runs and one is pending. A newer run replaces the pending one, which is
 * cancelled, and with `cancel-in-progress` cancels the running one, too.
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

  /** Its run is over: the pending one begins. */
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
