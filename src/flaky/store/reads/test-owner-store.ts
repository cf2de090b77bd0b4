import type { RepositoryRef } from "../../../engine/model/queue.ts";
import { parseStored } from "../../../store/queries/corrupt-row.ts";
import { inChunks } from "../../../store/queries/in-chunks.ts";
import type { Writes } from "../../../store/sqlite/group-commit.ts";
import type { Database } from "../../../store/sqlite/schema.ts";
import { SqlStore } from "../../../store/sqlite/sql-store.ts";
import type { NewTests } from "../identities/new-tests.ts";
import { classColumn, fileColumn, selectTests } from "../identities/test-suites.ts";

/** The last known CODEOWNERS file of a repository. */
export interface KnownCodeowners {
  readonly repo: RepositoryRef;
  /** Null when there is none or it was not read yet. */
  readonly text: string | null;
  readonly readAt: number | null;
}

/** A test's location, as far as the report states it, and its owners. */
export interface OwnedTest {
  readonly sk: number;
  readonly file: string | null;
  readonly classname: string | null;
  /** Null when no rule matches it. */
  readonly owners: readonly string[] | null;
}

export class TestOwnerStore extends SqlStore {
  readonly #newTests: NewTests;

  constructor(db: Database, writes: Writes, newTests: NewTests) {
    super(db, writes);
    this.#newTests = newTests;
  }

  async codeowners(repositoryId: number): Promise<KnownCodeowners> {
    const { host, owner, name, ...row } = await this.db
      .selectFrom("test_repositories")
      .select(["host", "owner", "name", "codeowners", "codeowners_read_at"])
      .where("id", "=", repositoryId)
      .executeTakeFirstOrThrow();
    return { repo: { host, owner, name }, text: row.codeowners, readAt: row.codeowners_read_at };
  }

  async keepCodeowners(repositoryId: number, text: string | null, readAt: number): Promise<void> {
    await this.writes.run((tx) =>
      tx
        .updateTable("test_repositories")
        .set({ codeowners: text, codeowners_read_at: readAt })
        .where("id", "=", repositoryId)
        .execute(),
    );
  }

  /** Up to `limit` tests with a number above `afterSk`, in ascending order. */
  async tests(repositoryId: number, afterSk: number, limit: number): Promise<readonly OwnedTest[]> {
    await this.#newTests.insertAll();
    const rows = await selectTests(this.db)
      .select(["sk", fileColumn, classColumn, "codeowners"])
      .where("repo_id", "=", repositoryId)
      .where("sk", ">", afterSk)
      .orderBy("sk")
      .limit(limit)
      .execute();
    return rows.map(({ sk, file, classname, codeowners }) => ({
      ...{ sk, file, classname },
      owners: codeowners === null ? null : parseStored<string[]>(codeowners, `the owners of test ${sk}`),
    }));
  }

  async setOwners(sks: readonly number[], owners: readonly string[] | null): Promise<void> {
    const codeowners = owners && JSON.stringify(owners);
    await this.writes.run(async (tx) => {
      for (const chunk of inChunks(sks))
        await tx.updateTable("test_cases").set({ codeowners }).where("sk", "in", chunk).execute();
    });
  }
}
