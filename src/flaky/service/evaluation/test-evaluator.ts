import type { RepositoryRef } from "../../../engine/model/queue.ts";
import type { Announcement } from "../../../ports/webhooks/webhook-message.ts";
import { PeriodicTask } from "../../../service/workers/periodic-task.ts";
import { flakyPlacesOf } from "../../detection/flaky-failures.ts";
import { isTracked, newHistory, proofsOf } from "../../detection/history.ts";
import { defaultDetectionSettings } from "../../detection/settings.ts";
import { wilsonInterval } from "../../quarantine/decide-quarantine.ts";
import type { TestRename } from "../../store/history/renames.ts";
import type { EvaluatedTest, SharedPlace } from "../../store/history/test-evaluation-store.ts";
import type { StoredUpload } from "../../store/uploads/stored-uploads.ts";
import { detectionSettingsOf } from "../../test-settings.ts";
import { UnreadableEvidence } from "../../unreadable-evidence.ts";
import type { TestContext } from "../test-context.ts";
import { announceTests, type MessageContext, quarantineEvents, statusEvents } from "../test-messages.ts";
import { evaluateUploads, statusChangesOf } from "./evaluate-uploads.ts";
import { type Merits, planQuarantines } from "./plan-quarantines.ts";
import { UploadChanges } from "./upload-changes.ts";
import { UploadRenames } from "./upload-renames.ts";

/** The number of uploads evaluated in one transaction. More would delay other writers. */
const uploadsAtOnce = 20;
/** The interval at which uploads to other replicas and expired quarantines are found. */
const everyMs = 5_000;

/**
 * Evaluates uploads: counts runs, updates the tests' histories, and plans quarantines. The findings are stored in the same transaction as
 * the mark that the uploads are evaluated. Evaluation can therefore be stopped at any time, and repeated.
 */
export class TestEvaluator {
  readonly #context: TestContext;
  readonly #changes: UploadChanges;
  readonly #onFinding: () => void;
  readonly #rounds: PeriodicTask;
  #stopped = false;

  /** @param onFinding called when webhook messages were added or a status may have changed. */
  constructor(context: TestContext, onFinding: () => void) {
    this.#context = context;
    this.#changes = new UploadChanges(context);
    this.#onFinding = onFinding;
    const purpose = "evaluate results of tests";
    this.#rounds = new PeriodicTask({ run: () => this.evaluateAll(), everyMs, purpose, log: context.log });
  }

  start(): void {
    this.#stopped = false;
    this.#rounds.start();
  }

  /** Looks for uploads now. */
  wake(): void {
    this.#rounds.wake();
  }

  /** Stops after the uploads that are being evaluated. The others wait until the next start. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#rounds.stop();
  }

  /** Evaluates all waiting uploads, and ends expired quarantines. */
  async evaluateAll(): Promise<void> {
    let isMore = true;
    while (isMore && !this.#stopped) {
      isMore = await orGiveUp(this.#context, () => this.#evaluateSome());
      await this.#reviseDue();
    }
  }

  /** A failure for one repository does not affect the others. */
  async #reviseDue(): Promise<void> {
    const { stores, clock, log } = this.#context;
    for (const repositoryId of await stores.quarantines.due(clock.now())) {
      if (this.#stopped) return;
      try {
        await orGiveUp(this.#context, () => this.revise(repositoryId));
      } catch (error) {
        const code = "QUARANTINES_NOT_PLANNED";
        log.error({ err: error, repositoryId, code }, "could not decide about quarantines; trying again");
      }
    }
  }

  /** Plans the quarantines of a repository again. */
  async revise(repositoryId: number): Promise<void> {
    const { stores, ids, clock, log } = this.#context;
    const { quarantines, testEvaluations: evaluations } = stores;
    const name = ids.next();
    const { repo } = await stores.testSettings.rules(repositoryId);
    const at = clock.now();
    const tracked = [...(await evaluations.histories(repositoryId))].filter(([, history]) =>
      isTracked(history),
    );
    const since = at - defaultDetectionSettings.flips.window;
    const counts = await evaluations.countRuns(
      tracked.map(([sk]) => sk),
      since,
    );
    const histories = new Map(tracked);
    const merits: Merits = {
      proofsOf: (sk) => proofsOf(histories.get(sk) ?? newHistory(at)),
      harmOf: (sk) => {
        const { runs, failures } = counts.get(sk) ?? { runs: 0, failures: 0 };
        return runs === 0 ? 0 : wilsonInterval(failures, runs).low;
      },
    };
    const place = this.#place(repo, repositoryId);
    const { isBudgetSpent } = await quarantines.revise(repositoryId, [], at, (inputs) => {
      const plan = planQuarantines(inputs, at, merits);
      return { ...plan, announces: announceTests(place, at, () => quarantineEvents(inputs, plan, at, name)) };
    });
    this.#onFinding();
    if (isBudgetSpent)
      log.warn(
        { repositoryId, code: "BUDGET_SPENT" },
        "flaky tests are found and not quarantined: too many are",
      );
  }

  #place(repo: RepositoryRef, repositoryId: number): MessageContext {
    return { repo, repositoryId, testUrl: (id) => this.#context.addresses.test(repo, id) };
  }

  /** Returns false when there was nothing to evaluate. */
  async #evaluateSome(): Promise<boolean> {
    const { stores, owners, clock } = this.#context;
    const evaluations = stores.testEvaluations;
    const uploads = await evaluations.unevaluated(uploadsAtOnce);
    if (uploads.length === 0) return false;
    const tests = new Map<number, EvaluatedTest>();
    const sharedPlaces: SharedPlace[] = [];
    const renames: TestRename[] = [];
    const announces: Announcement[] = [];
    const at = clock.now();
    const repositories = new Set(uploads.map(({ repositoryId }) => repositoryId));
    for (const id of repositories) {
      // Must come before quarantine decisions, because a quarantine needs an owner.
      await owners.refresh(id);
      const own: StoredUpload[] = uploads.filter(({ repositoryId }) => repositoryId === id);
      const { repo, settings: set } = await stores.testSettings.rules(id);
      const detection = detectionSettingsOf(set);
      const evaluated = await evaluateUploads(
        own,
        evaluations,
        detection,
        new UploadRenames(evaluations.renames),
        this.#changes.of(repo),
      );
      for (const [sk, history] of evaluated.changed)
        tests.set(sk, { history, places: flakyPlacesOf(history, detection) });
      sharedPlaces.push(...evaluated.sharedPlaces);
      renames.push(...evaluated.renames);
      const changes = await statusChangesOf(evaluated, evaluations);
      const evaluation = own.at(-1)?.id ?? 0;
      if (changes.length > 0)
        announces.push(announceTests(this.#place(repo, id), at, () => statusEvents(changes, evaluation)));
    }
    // If another replica was faster, nothing is stored, and the next call takes the remaining uploads.
    await evaluations.settle({ uploads, tests, sharedPlaces, renames, announces, at });
    return true;
  }
}

/**
 * Runs `work`. If evidence can never be read, gives it up, because all other evaluation would wait for it. Returns whether `work` or the
 * giving up succeeded.
 */
export async function orGiveUp<T>(
  { stores, clock, log }: Pick<TestContext, "stores" | "clock" | "log">,
  work: () => Promise<T>,
): Promise<T | boolean> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof UnreadableEvidence)) throw error;
    const { evidence } = error;
    const isGivenUp = await stores.testEvaluations.giveUp(evidence, clock.now());
    if (isGivenUp)
      log.error(
        { err: error, evidence, code: "EVIDENCE_UNREADABLE" },
        "gave up results of tests that cannot be read; the others are evaluated without them",
      );
    return isGivenUp;
  }
}
