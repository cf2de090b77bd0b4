import type { RepositoryRef } from "../../engine/model/queue.ts";

/** The last known repository and branch of a queue. */
export interface KnownPlace {
  readonly repo: RepositoryRef;
  readonly branch: string;
  readonly installationId: number;
  /** Null when it was never read. */
  readonly repositoryId: number | null;
}

/** How the App currently reaches a repository. */
export type Reach =
  | {
      readonly kind: "reached";
      readonly repo: RepositoryRef;
      readonly repositoryId: number;
      readonly archived: boolean;
      /** The branch's current name; null when it does not exist. */
      readonly branch: string | null;
      readonly installation: Installation;
    }
  | { readonly kind: "suspended"; readonly installation: Installation }
  /** The known installation is gone, and there is no other. */
  | { readonly kind: "not_installed" }
  /** The App is installed, but not on this repository, or the repository is gone. */
  | { readonly kind: "not_visible" };

/** An installation of the App on an account. */
export interface Installation {
  readonly id: number;
  /** The account's login. */
  readonly owner: string;
  /** The permissions that the account's owner has granted, in the form of a manifest. */
  readonly permissions: Readonly<Record<string, string>>;
  /** The page where the owner accepts permissions and unsuspends the installation. */
  readonly settingsUrl: string;
}

export interface ReachReader {
  /**
   * Finds a repository by its id, or by its name when the id is unknown, and the App's installation on it.
   *
   * @param isNews the code host has reported a change, so its earlier answers about the installation are not
   * used
   */
  readReach(place: KnownPlace, isNews?: boolean): Promise<Reach>;
}
