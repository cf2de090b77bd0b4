import { type Entry, isTerminal } from "../../engine/model/entry.ts";
import { isSameName } from "../../engine/model/names.ts";
import type { QueueSettings } from "../../engine/model/settings.ts";
import type { CodeHost, InstalledRepository } from "../../ports/code-host/code-host.ts";
import type { Clock } from "../../ports/code-host/runtime.ts";
import type { RepositoryFiles } from "../observation/repository-files.ts";
import { wholeSecond } from "../observation/whole-second.ts";
import { settingsInForce } from "../runtime/settings-in-force.ts";

export interface SubmitLabelParts {
  readonly codeHost: Pick<CodeHost, "removeLabel" | "listLabelEvents">;
  readonly files: Pick<RepositoryFiles, "read">;
  /** The label that submits where neither the queue nor the repository file names one. */
  readonly submitLabel: string;
  readonly clock: Pick<Clock, "now">;
}

/** After this time, people may have put the label back for another purpose, and a restarted service does not remember what it removed. */
const lateMs = 60 * 60_000;
const maxKept = 10_000;

/**
 * Removes the label that submitted a pull request once the pull request has left the queue. Otherwise the label would say that it
 * is queued, and could not be added again.
 */
export class SubmitLabel {
  readonly #parts: SubmitLabelParts;
  /** The ends of entries whose label this process has removed. */
  readonly #removed = new Set<string>();

  constructor(parts: SubmitLabelParts) {
    this.#parts = parts;
  }

  async remove(
    repo: InstalledRepository,
    branch: string,
    entry: Entry,
    settings: QueueSettings,
  ): Promise<void> {
    const { codeHost, files, submitLabel, clock } = this.#parts;
    const wasLabelled = entry.admittedVia === "label" && entry.reason.code !== "LABEL_REMOVED";
    if (!wasLabelled || !isTerminal(entry.state)) return;
    const end = `${entry.id}/${entry.stateChangedAt}`;
    if (this.#removed.has(end)) return;
    const parsed = await files.read(repo, branch);
    if (!parsed.ok) return;
    const { enqueueingLabel } = settingsInForce(settings, parsed.file, submitLabel);
    const isLate = clock.now() - entry.stateChangedAt > lateMs;
    if (enqueueingLabel && !(await this.#wasPutBack(repo, entry, enqueueingLabel, isLate)))
      await codeHost.removeLabel(repo, entry.pr, enqueueingLabel);
    if (this.#removed.size >= maxKept) this.#removed.clear();
    this.#removed.add(end);
  }

  /**
   * Whether somebody has removed the label and put it back since it submitted the pull request, for example after a push that is noticed only
   * now. Such a label asks for a new submission, unless the pull request has merged or failed since.
   *
   * @param isLate the label may also have been put back since the pull request left the queue
   */
  async #wasPutBack(
    repo: InstalledRepository,
    entry: Entry,
    label: string,
    isLate: boolean,
  ): Promise<boolean> {
    if (entry.state !== "cancelled" && !isLate) return false;
    const events = await this.#parts.codeHost.listLabelEvents(repo, entry.pr);
    const own = events.filter((event) => isSameName(event.label, label));
    const last = own.at(-1);
    const wasRemoved = own.some(({ action }) => action === "unlabeled");
    if (last?.action !== "labeled") return false;
    if (isLate && last.at > wholeSecond(entry.stateChangedAt)) return true;
    return entry.state === "cancelled" && wasRemoved && last.at > wholeSecond(entry.submittedAt);
  }
}
