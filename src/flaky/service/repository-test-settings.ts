import type { RepositoryRef } from "../../engine/model/queue.ts";
import { accepted, type Outcome } from "../../service/runtime/outcome.ts";
import type { TestRules, TestSettingsStore } from "../store/quarantines/test-settings-store.ts";
import { defaultTestSettings, type TestSettingChanges } from "../test-settings.ts";
import type { TestRepositories } from "./test-repositories.ts";

export interface RepositoryTestSettingsParts {
  readonly store: TestSettingsStore;
  readonly repositories: TestRepositories;
  /** Applies changed settings to data that is stored already. */
  readonly onChange: (repositoryId: number) => Promise<void>;
}

/** The test settings that people make for a repository. */
export class RepositoryTestSettings {
  readonly #parts: RepositoryTestSettingsParts;

  constructor(parts: RepositoryTestSettingsParts) {
    this.#parts = parts;
  }

  /**
   * Returns the default settings for a repository without uploads. Refuses a repository that does not exist.
   */
  async get(repo: RepositoryRef): Promise<Outcome<TestRules>> {
    const { repositories, store } = this.#parts;
    const found = await repositories.find(repo);
    if (found.ok) return accepted(await store.rules(found.value.id));
    const missing = await repositories.check(repo);
    return (
      missing ?? accepted({ repo, settings: defaultTestSettings, budgetSpentAt: null, issuesRefused: null })
    );
  }

  /** Also possible before the first upload. */
  async update(repo: RepositoryRef, changes: TestSettingChanges): Promise<Outcome<TestRules>> {
    const { repositories, store, onChange } = this.#parts;
    const found = await repositories.findOrAdd(repo);
    if (!found.ok) return found;
    const { id } = found.value;
    await store.change(id, changes);
    await onChange(id);
    return accepted(await store.rules(id));
  }
}
