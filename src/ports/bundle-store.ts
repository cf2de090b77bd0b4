import type { TestRepository } from "./test-result-store.ts";

/** An address at which a bundle may be left, for a while. */
export interface BundleAddress {
  readonly id: string;
  /** Of what has to be shown there. */
  readonly secretSha256: string;
  readonly repositoryId: number;
  readonly expiresAt: number;
}

export interface BundleStore {
  /** Adds one, and forgets those that expired before a time. */
  add(address: BundleAddress, now: number): Promise<void>;
  /** With the repository that it is for; null when there is none, or it has expired. */
  find(
    id: string,
    now: number,
  ): Promise<{ address: BundleAddress; repository: Omit<TestRepository, "detection"> } | null>;
}
