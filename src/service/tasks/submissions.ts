import { isMergeCalled } from "../../engine/lifecycle/merging/ordered-merge.ts";
import type { Actor } from "../../engine/model/actor.ts";
import { ghost, isSameName } from "../../engine/model/names.ts";
import type { QueueState } from "../../engine/model/queue.ts";
import type { InstalledRepository } from "../../ports/code-host/code-host.ts";
import { maySubmit } from "../observation/judge-push.ts";
import type { QueueContext } from "../observation/queue-context.ts";
import { settingsInForce } from "../runtime/settings-in-force.ts";

/** A submission by a label or by auto-merge that was taken back. */
export interface TakenBack {
  readonly pr: number;
  readonly actor: Actor;
  readonly via: "label" | "auto_merge";
}

/** GitHub does not say who disabled auto-merge. */
const nobody: Actor = { kind: "user", name: ghost };

/** Reads whether the labels and the auto-merge that submitted pull requests are still there, because webhooks may be lost. */
export class Submissions {
  readonly #context: QueueContext;

  constructor(context: QueueContext) {
    this.#context = context;
  }

  /** The label that submits; null when none does, or when it is not known, because the repository file is invalid. */
  async labelOf(repo: InstalledRepository, { branch, settings }: QueueState): Promise<string | null> {
    const parsed = await this.#context.files.read(repo, branch);
    if (!parsed.ok || !settings.labelCommandsEnabled) return null;
    return settingsInForce(settings, parsed.file, this.#context.settings.submitLabel).enqueueingLabel || null;
  }

  /** The pull requests that GitHub was not asked to merge yet and whose submission was taken back by a permitted person. */
  async findTakenBack(
    repo: InstalledRepository,
    state: QueueState,
    prs: readonly number[],
    label: string | null,
  ): Promise<readonly TakenBack[]> {
    const found = prs.map(async (pr): Promise<TakenBack[]> => {
      const via = state.entries.get(pr)?.admittedVia;
      if (isMergeCalled(state, pr)) return [];
      if (via === "auto_merge")
        return (await this.#context.directory.codeHost.autoMergeEnabledAt(repo, pr)) === null
          ? [{ pr, actor: nobody, via }]
          : [];
      const actor = via === "label" && label !== null ? await this.#remover(repo, state, pr, label) : null;
      return actor && via === "label" ? [{ pr, actor, via }] : [];
    });
    return (await Promise.all(found)).flat();
  }

  /** Who removed the label; null when it is there or never was, or when the remover may not take back submissions. */
  async #remover(
    repo: InstalledRepository,
    { branch, settings }: QueueState,
    pr: number,
    label: string,
  ): Promise<Actor | null> {
    const labels = await this.#context.directory.codeHost.listLabels(repo, pr);
    if (labels.some((name) => isSameName(name, label))) return null;
    const events = await this.#context.directory.codeHost.listLabelEvents(repo, pr);
    const last = events.findLast((event) => isSameName(event.label, label));
    const parsed = await this.#context.files.read(repo, branch);
    if (last?.action !== "unlabeled" || !parsed.ok) return null;
    const { actorLogin: login, actorId: id, actorIsBot } = last;
    const may = await maySubmit(
      this.#context.directory.codeHost,
      repo,
      { login, id, isPerson: !actorIsBot },
      parsed.file,
      settings,
    );
    return may ? { kind: "user", name: login } : null;
  }
}
