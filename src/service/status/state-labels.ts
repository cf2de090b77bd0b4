import type { Entry, EntryState } from "../../engine/model/entry.ts";
import { isSameName, nameKey } from "../../engine/model/names.ts";
import type { CodeHost, InstalledRepository } from "../../ports/code-host/code-host.ts";
import type { RepositoryFiles } from "../observation/repository-files.ts";
import { namesStates } from "../runtime/settings-in-force.ts";

export interface StateLabelParts {
  readonly codeHost: Pick<CodeHost, "listLabels" | "addLabel" | "removeLabel">;
  readonly files: Pick<RepositoryFiles, "read">;
}

const maxKept = 10_000;

/** The labels of a queue with state labels enabled whose repository file names none. */
const defaultStateLabels: Readonly<Record<EntryState, string>> = {
  not_ready: "trainyard:not-ready",
  pending: "trainyard:pending",
  testing: "trainyard:testing",
  tests_passed: "trainyard:tests-passed",
  pending_failure: "trainyard:pending-failure",
  merged: "trainyard:merged",
  failed: "trainyard:failed",
  cancelled: "trainyard:cancelled",
};

/**
 * Labels that mirror the queue's state of a pull request, if `.github/trainyard.yml` names some or the
 * queue's settings enable them. The current labels are read before a change, because people change labels
 * too. They are read only when the state has changed.
 */
export class StateLabels {
  readonly #parts: StateLabelParts;
  /** The labels that this process last set, and for which state: another replica may have changed them since. */
  readonly #shown = new Map<string, string>();

  constructor(parts: StateLabelParts) {
    this.#parts = parts;
  }

  /**
   * @param enabled the queue's setting; null means enabled if the file names labels
   * @param again whether the labels may have been changed since this process set them
   */
  async show(
    repo: InstalledRepository,
    branch: string,
    { pr, state, stateChangedAt }: Pick<Entry, "pr" | "state" | "stateChangedAt">,
    enabled: boolean | null,
    again = false,
  ): Promise<void> {
    const { codeHost, files } = this.#parts;
    const parsed = await files.read(repo, branch);
    // An invalid file does not show which labels it means to name, so all labels stay.
    if (!parsed.ok) return;
    const key = nameKey(`${repo.host}/${repo.owner}/${repo.name}#${pr}`);
    if (enabled === false && !this.#shown.has(key)) return;
    const named =
      enabled !== null && !namesStates(parsed.file) ? defaultStateLabels : parsed.file.labels.states;
    const ours = new Set(
      Object.values(named).flatMap((label) => (label === undefined ? [] : nameKey(label))),
    );
    if (ours.size === 0) return;
    const wanted = enabled === false ? undefined : named[state];
    const isWanted = (label: string) => isSameName(label, wanted);
    const showing = JSON.stringify([wanted, stateChangedAt, ...ours]);
    if (!again && this.#shown.get(key) === showing) return;
    const labels = await codeHost.listLabels(repo, pr);
    for (const label of labels) {
      if (ours.has(nameKey(label)) && !isWanted(label)) await codeHost.removeLabel(repo, pr, label);
    }
    if (wanted !== undefined && !labels.some(isWanted)) await codeHost.addLabel(repo, pr, wanted);
    if (this.#shown.size >= maxKept) this.#shown.clear();
    this.#shown.set(key, showing);
  }
}
