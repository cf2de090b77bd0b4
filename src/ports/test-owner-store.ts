import type { RepositoryRef } from "../engine/model/queue.ts";

/** What is known of a repository's CODEOWNERS. */
export interface KnownCodeowners {
  readonly repo: RepositoryRef;
  /** As it was read last; null = there is none, or it was not read yet. */
  readonly text: string | null;
  readonly readAt: number | null;
}

/** Where a test stands, as far as its report says, and whose it is. */
export interface OwnedTest {
  readonly sk: number;
  readonly file: string | null;
  readonly classname: string | null;
  /** Null: no rule names it. */
  readonly owners: readonly string[] | null;
}

/** Whose tests are whose. */
export interface TestOwnerStore {
  codeowners(repositoryId: number): Promise<KnownCodeowners>;
  keepCodeowners(repositoryId: number, text: string | null, readAt: number): Promise<void>;
  /** Up to `limit` tests with a number above one, in the order of their numbers. */
  tests(repositoryId: number, afterSk: number, limit: number): Promise<readonly OwnedTest[]>;
  setOwners(sks: readonly number[], owners: readonly string[] | null): Promise<void>;
}
