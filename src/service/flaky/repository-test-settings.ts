import type { RepositoryRef } from "../../engine/model/queue.ts";
import { defaultTestSettings, type TestSettingChanges } from "../../flaky/test-settings.ts";
import type { TestRules, TestSettingsStore } from "../../ports/test-settings-store.ts";
import { accepted, type Outcome } from "../outcome.ts";
import type { TestRepositories } from "./test-repositories.ts";

export interface RepositoryTestSettingsParts {
  readonly store: TestSettingsStore;
  readonly repositories: TestRepositories;
  /** What follows from other settings, for what is known already. */
  readonly onChange: (repositoryId: number) => Promise<void>;
}

/** What people set about the tests of a repository. */
export class RepositoryTestSettings {
  readonly #parts: RepositoryTestSettingsParts;

  constructor(parts: RepositoryTestSettingsParts) {
    this.#parts = parts;
  }

  /** A repository that nothing was uploaded for has what holds by default, unless there is no such repository. */
  async get(repo: RepositoryRef): Promise<Outcome<TestRules>> {
    const { repositories, store } = this.#parts;
    const found = await repositories.find(repo);
    if (found.ok) return accepted(await store.rules(found.value.id));
    const missing = await repositories.check(repo);
    return (
      missing ?? accepted({ repo, settings: defaultTestSettings, budgetSpentAt: null, issuesRefused: null })
    );
  }

  /** Before anything is uploaded, too. */
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
