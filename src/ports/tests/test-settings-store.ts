import type { RepositoryRef } from "../../engine/model/queue.ts";
import type { TestSettingChanges, TestSettings } from "../../flaky/test-settings.ts";

/** Why no issues are opened for flaky tests although the settings request them. */
export type IssuesRefusal =
  /** The App lacks *Issues: write*, or the repository refuses it. */
  | "PERMISSION_MISSING"
  /** Issues are disabled on the repository, or the repository is no longer visible. */
  | "ISSUES_DISABLED"
  | "APP_NOT_INSTALLED";

/** The test settings of a repository, and their current consequences. */
export interface TestRules {
  /** With its original spelling. */
  readonly repo: RepositoryRef;
  readonly settings: TestSettings;
  /** Since when the budget has had no room for a flaky test; null when there is room. */
  readonly budgetSpentAt: number | null;
  /** The message is the code host's. */
  readonly issuesRefused: {
    readonly code: IssuesRefusal;
    readonly message: string;
    readonly at: number;
  } | null;
}

/** The test settings of repositories. */
export interface TestSettingsStore {
  /** @throws Error when there is no such repository. */
  rules(repositoryId: number): Promise<TestRules>;
  /** Changes the given settings only. After a change, refused issues are attempted again. */
  change(repositoryId: number, changes: TestSettingChanges): Promise<TestRules>;
}
