import type { TestRepository } from "./test-result-store.ts";

/** An address to which a bundle can be uploaded until it expires. */
export interface BundleAddress {
  readonly id: string;
  /** SHA-256 of the secret that the upload must present. */
  readonly secretSha256: string;
  readonly repositoryId: number;
  readonly expiresAt: number;
}

export interface BundleStore {
  /** Adds an address, and deletes those that expired before `now`. */
  add(address: BundleAddress, now: number): Promise<void>;
  /** Returns the address with its repository; null when there is none or it has expired. */
  find(
    id: string,
    now: number,
  ): Promise<{ address: BundleAddress; repository: Omit<TestRepository, "detection"> } | null>;
}
