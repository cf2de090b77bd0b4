import { nameKey } from "../../engine/model/names.ts";
import type { RepositoryRef } from "../../engine/model/queue.ts";
import type { Clock } from "../../ports/code-host/runtime.ts";
import { answeringOutages, readInTime } from "../../service/queues/answering-outages.ts";
import type { Directory } from "../../service/runtime/directory.ts";
import { accepted, type Outcome, refused } from "../../service/runtime/outcome.ts";
import type { TestRules } from "../store/quarantines/test-settings-store.ts";
import type { TestResultStore } from "../store/uploads/test-result-store.ts";
import type { TestRepository } from "../store/uploads/upload-records.ts";
import { defaultTestSettings, type TestSettingChanges, type TestSettings } from "../test-settings.ts";
import type { TestContext, TestServiceOptions } from "./test-context.ts";

/** How long the answer whether the App is installed on a repository is cached. */
const rememberedMs = 60_000;
/** The maximum number of cached answers. */
const mostRemembered = 1_000;

/** The repositories whose tests are stored: those where the App is installed. */
export class TestRepositories {
  readonly #store: Pick<TestResultStore, "repository" | "addRepository">;
  readonly #directory: Directory;
  readonly #clock: Clock;
  readonly #asked = new Map<string, { readonly until: number; readonly installed: boolean }>();

  constructor({ stores, directory, clock }: Pick<TestServiceOptions, "stores" | "directory" | "clock">) {
    this.#store = stores.testResults;
    this.#directory = directory;
    this.#clock = clock;
  }

  /** A repository with known tests. */
  async find(repo: RepositoryRef): Promise<Outcome<TestRepository>> {
    const unserved = this.#directory.checkHost(repo);
    if (unserved) return unserved;
    const known = await this.#store.repository(repo);
    return known ? accepted(known) : refused({ code: "REPOSITORY_NOT_FOUND" });
  }

  /**
   * Like `find`, but adds the repository if the App is installed on it. Without that condition, anybody with a workflow token could add a
   * repository.
   */
  async findOrAdd(repo: RepositoryRef): Promise<Outcome<TestRepository>> {
    const found = await this.find(repo);
    if (found.ok || found.refusal.code !== "REPOSITORY_NOT_FOUND") return found;
    return answeringOutages(async () => {
      const refusal = await readInTime(() => this.#refusalOf(repo));
      return refusal ?? accepted(await this.#store.addRepository(repo));
    });
  }

  /**
   * Refuses a repository that does not exist here: it has neither a queue nor tests, and the App is not
   * installed on it. Other repositories may have no tests yet. If the code host does not answer, nothing is
   * refused.
   */
  async check(repo: RepositoryRef): Promise<Outcome<never> | null> {
    const found = await this.find(repo);
    if (found.ok) return null;
    if (found.refusal.code !== "REPOSITORY_NOT_FOUND") return found;
    if ((await this.#directory.ofRepository(repo)).length > 0) return null;
    const asked = await answeringOutages(
      async () => (await readInTime(() => this.#refusalOf(repo))) ?? accepted(true),
    );
    return !asked.ok && asked.refusal.code === "APP_NOT_INSTALLED" ? found : null;
  }

  async #refusalOf(repo: RepositoryRef): Promise<Outcome<never> | null> {
    const repository = `${repo.owner}/${repo.name}`;
    return (await this.#isInstalled(repo, nameKey(repository)))
      ? null
      : refused<never>({ code: "APP_NOT_INSTALLED", repository });
  }

  async #isInstalled(repo: RepositoryRef, key: string): Promise<boolean> {
    const now = this.#clock.now();
    const asked = this.#asked.get(key);
    if (asked && now < asked.until) return asked.installed;
    const installed = (await this.#directory.codeHost.findInstallation(repo)) !== null;
    if (this.#asked.size >= mostRemembered) this.#asked.clear();
    this.#asked.set(key, { until: now + rememberedMs, installed });
    return installed;
  }
}

export class RepositoryTestSettings {
  readonly #context: Pick<TestContext, "stores" | "repositories">;
  readonly #onChange: (repositoryId: number) => Promise<void>;

  /** @param onChange applies changed settings to data that is stored already. */
  constructor(
    context: Pick<TestContext, "stores" | "repositories">,
    onChange: (repositoryId: number) => Promise<void>,
  ) {
    this.#context = context;
    this.#onChange = onChange;
  }

  /**
   * Returns the default settings for a repository without uploads. Refuses a repository that does not exist.
   */
  async get(repo: RepositoryRef): Promise<Outcome<TestRules>> {
    const { repositories, stores } = this.#context;
    const found = await repositories.find(repo);
    if (found.ok) return accepted(await stores.testSettings.rules(found.value.id));
    const missing = await repositories.check(repo);
    return (
      missing ?? accepted({ repo, settings: defaultTestSettings, budgetSpentAt: null, issuesRefused: null })
    );
  }

  /** Also possible before the first upload. */
  async update(
    repo: RepositoryRef,
    changes: TestSettingChanges,
  ): Promise<Outcome<TestRules & { readonly before: TestSettings }>> {
    const { repositories, stores } = this.#context;
    const found = await repositories.findOrAdd(repo);
    if (!found.ok) return found;
    const { id } = found.value;
    const { before } = await stores.testSettings.change(id, changes);
    await this.#onChange(id);
    return accepted({ ...(await stores.testSettings.rules(id)), before });
  }
}
