import type { RepositoryRef } from "../../../engine/model/queue.ts";
import { parseStored } from "../../../store/queries/corrupt-row.ts";
import type { Database, Tx } from "../../../store/sqlite/schema.ts";
import { SqlStore } from "../../../store/sqlite/sql-store.ts";
import { defaultTestSettings, type TestSettingChanges, type TestSettings } from "../../test-settings.ts";

/** Why no issues are opened for flaky tests although the settings request them. */
export type IssuesRefusal =
  /** The App lacks the permission *Issues: write*, or the repository refuses it. */
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
  /** The message is that of the code host. */
  readonly issuesRefused: {
    readonly code: IssuesRefusal;
    readonly message: string;
    readonly at: number;
  } | null;
}

export class TestSettingsStore extends SqlStore {
  /** @throws Error when there is no such repository. */
  async rules(repositoryId: number): Promise<TestRules> {
    return await readRules(this.db, repositoryId);
  }

  /** Changes only the given settings. After a change, refused issues are attempted again. `before`: the earlier settings. */
  change(
    repositoryId: number,
    changes: TestSettingChanges,
  ): Promise<TestRules & { readonly before: TestSettings }> {
    return this.writes.run(async (tx) => {
      const { settings: before } = await readRules(tx, repositoryId);
      const { settings } = await tx
        .selectFrom("test_repositories")
        .select("settings")
        .where("id", "=", repositoryId)
        .executeTakeFirstOrThrow();
      const { quarantining, ...said } = changes;
      const all = Object.entries({ ...parseSettings(settings), ...said });
      const kept = Object.fromEntries(all.filter(([, value]) => value !== null && value !== undefined));
      await tx
        .updateTable("test_repositories")
        .set({
          issues_refused: null,
          settings: Object.keys(kept).length === 0 ? null : JSON.stringify(kept),
          ...(quarantining === undefined
            ? {}
            : { quarantining: (quarantining ?? defaultTestSettings.quarantining) ? 1 : 0 }),
        })
        .where("id", "=", repositoryId)
        .execute();
      return { ...(await readRules(tx, repositoryId)), before };
    });
  }
}

/**
 * The settings of a row. Only values that differ from the defaults are stored, so that a changed default
 * applies to all repositories that use it.
 */
export function settingsOf(row: {
  readonly quarantining: number;
  readonly settings: string | null;
}): TestSettings {
  return { ...defaultTestSettings, ...parseSettings(row.settings), quarantining: row.quarantining === 1 };
}

function parseSettings(text: string | null): Partial<TestSettings> {
  return text === null
    ? {}
    : parseStored<Partial<TestSettings>>(text, "the settings of a repository's tests");
}

async function readRules(db: Database | Tx, repositoryId: number): Promise<TestRules> {
  const row = await db
    .selectFrom("test_repositories")
    .select(["host", "owner", "name", "quarantining", "settings", "budget_spent_at", "issues_refused"])
    .where("id", "=", repositoryId)
    .executeTakeFirstOrThrow();
  const { host, owner, name } = row;
  return {
    repo: { host, owner, name },
    settings: settingsOf(row),
    // While quarantining is disabled, the budget does not matter.
    budgetSpentAt: row.quarantining === 1 ? row.budget_spent_at : null,
    issuesRefused:
      row.issues_refused === null
        ? null
        : parseStored<NonNullable<TestRules["issuesRefused"]>>(row.issues_refused, "a refusal of issues"),
  };
}
