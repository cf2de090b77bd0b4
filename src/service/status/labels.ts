import { type Entry, type EntryState, isTerminal } from "../../engine/model/entry.ts";
import { isSameName, nameKey } from "../../engine/model/names.ts";
import type { QueueSettings } from "../../engine/model/settings.ts";
import type { InstalledRepository } from "../../ports/code-host/code-host.ts";
import type { QueueContext } from "../observation/queue-context.ts";
import { wholeSecond } from "../observation/whole-second.ts";
import { namesStates, settingsInForce } from "../runtime/settings-in-force.ts";

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
  readonly #context: QueueContext;
  /** The labels that this process last set, and the state that they showed. Another replica may have changed them since. */
  readonly #shown = new Map<string, string>();

  constructor(context: QueueContext) {
    this.#context = context;
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
    const { files } = this.#context;
    const { codeHost } = this.#context.directory;
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

/**
 * After this time, people may have added the label again for another purpose, and a restarted service does not remember what it removed.
 */
const lateMs = 60 * 60_000;

/**
 * Removes the label that submitted a pull request once the pull request has left the queue. Otherwise the label would say that it
 * is queued, and could not be added again.
 */
export class SubmitLabel {
  readonly #context: QueueContext;
  /** The entries, by their end, whose label this process has removed. */
  readonly #removed = new Set<string>();

  constructor(context: QueueContext) {
    this.#context = context;
  }

  async remove(
    repo: InstalledRepository,
    branch: string,
    entry: Entry,
    settings: QueueSettings,
  ): Promise<void> {
    const { directory, files, settings: service, clock } = this.#context;
    const wasLabelled = entry.admittedVia === "label" && entry.reason.code !== "LABEL_REMOVED";
    if (!wasLabelled || !isTerminal(entry.state)) return;
    const end = `${entry.id}/${entry.stateChangedAt}`;
    if (this.#removed.has(end)) return;
    const parsed = await files.read(repo, branch);
    if (!parsed.ok) return;
    const { enqueueingLabel } = settingsInForce(settings, parsed.file, service.submitLabel);
    const isLate = clock.now() - entry.stateChangedAt > lateMs;
    if (enqueueingLabel && !(await this.#wasPutBack(repo, entry, enqueueingLabel, isLate)))
      await directory.codeHost.removeLabel(repo, entry.pr, enqueueingLabel);
    if (this.#removed.size >= maxKept) this.#removed.clear();
    this.#removed.add(end);
  }

  /**
   * Whether somebody has removed the label and put it back since it submitted the pull request, for example after a push that is noticed
   * only now. Such a label is a new submission, unless the pull request has merged or failed since.
   *
   * @param isLate whether the label may also have been put back after the pull request left the queue
   */
  async #wasPutBack(
    repo: InstalledRepository,
    entry: Entry,
    label: string,
    isLate: boolean,
  ): Promise<boolean> {
    if (entry.state !== "cancelled" && !isLate) return false;
    const events = await this.#context.directory.codeHost.listLabelEvents(repo, entry.pr);
    const own = events.filter((event) => isSameName(event.label, label));
    const last = own.at(-1);
    const wasRemoved = own.some(({ action }) => action === "unlabeled");
    if (last?.action !== "labeled") return false;
    if (isLate && last.at > wholeSecond(entry.stateChangedAt)) return true;
    return entry.state === "cancelled" && wasRemoved && last.at > wholeSecond(entry.submittedAt);
  }
}
