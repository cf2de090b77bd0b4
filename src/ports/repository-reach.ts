import type { RepositoryRef } from "../engine/model/queue.ts";

/** A repository and branch as they were known last. */
export interface KnownPlace {
  readonly repo: RepositoryRef;
  readonly branch: string;
  readonly installationId: number;
  /** Null when it was never read. */
  readonly repositoryId: number | null;
}

/** How the App reaches a repository now. */
export type Reach =
  | {
      readonly kind: "reached";
      readonly repo: RepositoryRef;
      readonly repositoryId: number;
      readonly archived: boolean;
      /** What the branch is called now; null when there is none. */
      readonly branch: string | null;
      readonly installation: Installation;
    }
  | { readonly kind: "suspended"; readonly installation: Installation }
  /** The installation by which it was reached is gone, and there is no other. */
  | { readonly kind: "not_installed" }
  /** The App is installed, but not on this repository, or the repository is gone. */
  | { readonly kind: "not_visible" };

/** The App on an account. */
export interface Installation {
  readonly id: number;
  /** The account's login. */
  readonly owner: string;
  /** What the account's owner has granted, as in a manifest. */
  readonly permissions: Readonly<Record<string, string>>;
  /** The page on which the owner accepts permissions and unsuspends it. */
  readonly settingsUrl: string;
}

export interface ReachReader {
  /**
   * Finds a repository by its id, or, when that is not known, by its name, and the App's installation on it.
   *
   * @param isNews the code host has told of a change: what it answered before about the installation is not relied on
   */
  readReach(place: KnownPlace, isNews?: boolean): Promise<Reach>;
}
