import type { RepositoryRef } from "../../engine/model/queue.ts";

/** The stored CODEOWNERS of a repository. */
export interface KnownCodeowners {
  readonly repo: RepositoryRef;
  /** As last read; null when there is none or it was not read yet. */
  readonly text: string | null;
  readonly readAt: number | null;
}

/** A test's location, as far as its report gives it, and its owners. */
export interface OwnedTest {
  readonly sk: number;
  readonly file: string | null;
  readonly classname: string | null;
  /** Null when no rule matches it. */
  readonly owners: readonly string[] | null;
}

/** The owners of tests. */
export interface TestOwnerStore {
  codeowners(repositoryId: number): Promise<KnownCodeowners>;
  keepCodeowners(repositoryId: number, text: string | null, readAt: number): Promise<void>;
  /** Up to `limit` tests with a number above `afterSk`, in ascending order. */
  tests(repositoryId: number, afterSk: number, limit: number): Promise<readonly OwnedTest[]>;
  setOwners(sks: readonly number[], owners: readonly string[] | null): Promise<void>;
}
