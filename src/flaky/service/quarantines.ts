import { inBatches } from "../../engine/collections/in-batches.ts";
import type { RepositoryRef } from "../../engine/model/queue.ts";
import { accepted, type Outcome, refused } from "../../service/runtime/outcome.ts";
import type { Quarantine, QuarantineMode, QuarantineSettings } from "../quarantine/decide-quarantine.ts";
import type {
  QuarantineCandidate,
  QuarantineInputs,
  QuarantinePlan,
} from "../store/quarantines/quarantine-store.ts";
import type { NamedTest, TestRepository } from "../store/uploads/upload-records.ts";
import { planQuarantines } from "./evaluation/plan-quarantines.ts";
import type { TestContext } from "./test-context.ts";
import { announceTests, type MessageContext, quarantineEvents } from "./test-messages.ts";

/** A person's setting for a test. */
export interface QuarantineSetting {
  readonly mode: QuarantineMode;
  readonly reason: string;
  /** Null means the first of the test's code owners. */
  readonly owner: string | null;
  /** Null means the default expiry. */
  readonly expiresAt: number | null;
}

/** A quarantine imported from another service, with its test, which may not be known yet. */
export interface ImportedQuarantine extends QuarantineSetting {
  readonly test: Omit<NamedTest, "owners">;
  readonly ticketUrl: string | null;
}

/** A test before and after a change of its quarantine. */
export interface RevisedTest {
  readonly before: QuarantineCandidate;
  readonly after: QuarantineCandidate;
}

/** The number of rows per statement, which with long names take some megabytes. */
const listedAtOnce = 100;
/** The maximum number of quarantines per transaction: as many as one request may contain. */
const importedAtOnce = 10_000;
/**
 * The maximum number of bytes of text per transaction: those of 10,000 quarantines with names of usual
 * length. Nothing else runs during a commit.
 */
const importedBytes = 1_500_000;

/** The settings that people make about quarantines. */
export class Quarantines {
  readonly #context: TestContext;

  constructor(context: TestContext) {
    this.#context = context;
  }

  async set(repo: RepositoryRef, id: string, setting: QuarantineSetting): Promise<Outcome<RevisedTest>> {
    const found = await this.#context.repositories.find(repo);
    if (!found.ok) return found;
    const [revised] = await this.#set(found.value, new Map([[id, setting]]));
    return revised ? accepted(revised) : refused({ code: "TEST_NOT_FOUND", id });
  }

  /** Null removes the ticket. */
  async linkTicket(repo: RepositoryRef, id: string, url: string | null): Promise<Outcome<RevisedTest>> {
    const { repositories, stores } = this.#context;
    const found = await repositories.find(repo);
    if (!found.ok) return found;
    const before = await stores.quarantines.find(found.value.id, id);
    if (!before) return refused({ code: "TEST_NOT_FOUND", id });
    await stores.quarantines.linkTicket(found.value.id, id, url);
    return accepted({ before, after: { ...before, ticketUrl: url } });
  }

  /** All tests that are quarantined or have a person's setting or ticket, by id. */
  async list(repo: RepositoryRef): Promise<Outcome<AsyncIterable<QuarantineCandidate>>> {
    const found = await this.#context.repositories.find(repo);
    return found.ok ? accepted(this.#list(found.value.id)) : found;
  }

  async *#list(repositoryId: number): AsyncGenerator<QuarantineCandidate> {
    for (let after = ""; ; ) {
      const page = await this.#context.stores.quarantines.list(repositoryId, after, listedAtOnce);
      yield* page;
      const last = page.at(-1);
      if (!last || page.length < listedAtOnce) return;
      after = last.id;
    }
  }

  /**
   * Imports quarantines that another service exported, in one transaction unless they are very large. Adds
   * tests that are not known yet.
   */
  async import(
    repo: RepositoryRef,
    imported: readonly ImportedQuarantine[],
  ): Promise<Outcome<{ count: number; revised: readonly RevisedTest[] }>> {
    const found = await this.#context.repositories.findOrAdd(repo);
    if (!found.ok) return found;
    const revised: RevisedTest[] = [];
    for (const part of inBatches(imported, importedAtOnce, { most: importedBytes, of: bytesOf }))
      for (const test of await this.#importPart(found.value, part)) revised.push(test);
    return accepted({ count: new Set(imported.map(({ test }) => test.id)).size, revised });
  }

  async #importPart(
    repository: TestRepository,
    imported: readonly ImportedQuarantine[],
  ): Promise<readonly RevisedTest[]> {
    const { stores, clock } = this.#context;
    const tests = imported.map(({ test }) => ({ ...test, owners: null }));
    await stores.testResults.know(repository.id, tests, clock.now());
    const settings = new Map(imported.map((one) => [one.test.id, one]));
    const revised = await this.#set(repository, settings);
    const tickets = new Map<string, string>();
    for (const [id, { ticketUrl }] of settings) if (ticketUrl !== null) tickets.set(id, ticketUrl);
    await stores.quarantines.linkTickets(repository.id, tickets);
    return revised;
  }

  async #set(
    { id: repositoryId, repo }: TestRepository,
    settings: ReadonlyMap<string, QuarantineSetting>,
  ): Promise<readonly RevisedTest[]> {
    const { stores, clock, ids, addresses, onAnnounce } = this.#context;
    const name = ids.next();
    const at = clock.now();
    const place: MessageContext = { repo, repositoryId, testUrl: (id) => addresses.test(repo, id) };
    let tests: readonly QuarantineCandidate[] = [];
    const { revisions } = await stores.quarantines.revise(
      repositoryId,
      [...settings.keys()],
      at,
      (inputs) => {
        tests = inputs.candidates.filter((test) => settings.has(test.id));
        const plan = planSettings(inputs, settings, at);
        return {
          ...plan,
          announces: announceTests(place, at, () => quarantineEvents(inputs, plan, at, name)),
        };
      },
    );
    onAnnounce();
    const decided = new Map(revisions.map((revision) => [revision.sk, revision]));
    return tests.map((before) => ({ before, after: { ...before, ...decided.get(before.sk) } }));
  }
}

/** Used when a person sets a test back to `AUTO`. The next evaluation of an upload judges it by its real merits. */
const noMerits = { proofsOf: () => 0, harmOf: () => 0 };

function bytesOf({ test, reason, owner, ticketUrl }: ImportedQuarantine): number {
  const { name, parent, file, classname, variant } = test;
  const texts = [name, parent, file, classname, variant, reason, owner, ticketUrl];
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text ?? ""), 0);
}

/** Applies the settings of some tests, and then plans the tests that are left to detection. */
export function planSettings(
  inputs: QuarantineInputs,
  settings: ReadonlyMap<string, QuarantineSetting>,
  at: number,
): QuarantinePlan {
  const set = inputs.candidates
    .filter(({ id }) => settings.has(id))
    .map((test) => ({ before: test, after: withSetting(test, settings.get(test.id), at, inputs.settings) }));
  const changed = new Map(set.map(({ before, after }) => [before.sk, after]));
  const candidates = inputs.candidates
    .map((test) => changed.get(test.sk) ?? test)
    .filter((test) => !isSettled(test, at));
  const { revisions, isBudgetSpent } = planQuarantines({ ...inputs, candidates }, at, noMerits);
  const decided = new Map(revisions.map((revision) => [revision.sk, revision]));
  const said = [...changed.values()].filter(({ sk }) => !decided.has(sk));
  return { revisions: [...said, ...revisions], isBudgetSpent };
}

/** Whether a person's setting already determines the result, so that nothing is left to decide. */
function isSettled({ mode, isQuarantined, quarantine }: QuarantineCandidate, at: number): boolean {
  if (mode === "NEVER") return !isQuarantined;
  return mode === "ALWAYS" && quarantine !== null && isQuarantined === at < quarantine.expiresAt;
}

function withSetting(
  test: QuarantineCandidate,
  setting: QuarantineSetting | undefined,
  at: number,
  usual: QuarantineSettings,
): QuarantineCandidate {
  if (setting?.mode !== "ALWAYS")
    return { ...test, mode: setting?.mode ?? test.mode, isQuarantined: false, quarantine: null };
  const quarantine: Quarantine = {
    since: test.isQuarantined && test.quarantine ? test.quarantine.since : at,
    expiresAt: setting.expiresAt ?? at + usual.expiry,
    owner: setting.owner ?? test.owners?.[0] ?? null,
    reason: setting.reason,
  };
  return { ...test, mode: "ALWAYS", isQuarantined: at < quarantine.expiresAt, quarantine };
}
