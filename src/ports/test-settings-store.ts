import type { RepositoryRef } from "../engine/model/queue.ts";
import type { TestSettingChanges, TestSettings } from "../flaky/test-settings.ts";

/** Why no issue is opened for flaky tests although it is set. */
export type IssuesRefusal =
  /** The App lacks *Issues: write*, or the repository refuses it. */
  | "PERMISSION_MISSING"
  /** The repository has no issues, or cannot be seen any more. */
  | "ISSUES_DISABLED"
  | "APP_NOT_INSTALLED";

/** What is set about the tests of a repository, and what came of it. */
export interface TestRules {
  /** As it is spelled. */
  readonly repo: RepositoryRef;
  readonly settings: TestSettings;
  /** Since when a flaky test has found no room in the budget; null = there is room. */
  readonly budgetSpentAt: number | null;
  /** The words are the code host's. */
  readonly issuesRefused: {
    readonly code: IssuesRefusal;
    readonly message: string;
    readonly at: number;
  } | null;
}

/** What is set about the tests of repositories. */
export interface TestSettingsStore {
  /** @throws Error when there is no such repository. */
  rules(repositoryId: number): Promise<TestRules>;
  /** Changes what is told and leaves the rest; what was refused about issues is tried again. */
  change(repositoryId: number, changes: TestSettingChanges): Promise<TestRules>;
}
