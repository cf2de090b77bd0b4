import { SqlStore } from "../../../store/sqlite/sql-store.ts";
import type { TestRepository } from "./upload-records.ts";

/** An address to which a bundle can be uploaded until it expires. */
export interface BundleAddress {
  readonly id: string;
  /** SHA-256 of the secret that the upload must present. */
  readonly secretSha256: string;
  readonly repositoryId: number;
  readonly expiresAt: number;
}

export class BundleStore extends SqlStore {
  /** Adds an address, and deletes those that expired before `now`. */
  async add({ id, secretSha256, repositoryId, expiresAt }: BundleAddress, now: number): Promise<void> {
    await this.writes.run(async (tx) => {
      await tx.deleteFrom("test_bundles").where("expires_at", "<=", now).execute();
      await tx
        .insertInto("test_bundles")
        .values({ id, secret_sha256: secretSha256, repo_id: repositoryId, expires_at: expiresAt })
        .execute();
    });
  }

  /** Returns the address with its repository; null when there is none or it has expired. */
  async find(
    id: string,
    now: number,
  ): Promise<{ address: BundleAddress; repository: Omit<TestRepository, "detection"> } | null> {
    const row = await this.db
      .selectFrom("test_bundles")
      .innerJoin("test_repositories", "test_repositories.id", "test_bundles.repo_id")
      .select(["test_bundles.id as bundle_id", "secret_sha256", "expires_at", "repo_id"])
      .select(["host", "owner", "name", "quarantining"])
      .where("test_bundles.id", "=", id)
      .where("expires_at", ">", now)
      .executeTakeFirst();
    if (!row) return null;
    const { host, owner, name } = row;
    return {
      address: {
        id,
        secretSha256: row.secret_sha256,
        repositoryId: row.repo_id,
        expiresAt: row.expires_at,
      },
      repository: { id: row.repo_id, repo: { host, owner, name }, quarantining: row.quarantining === 1 },
    };
  }
}
