import type { CheckFact } from "../../engine/model/checks/required-checks.ts";
import type { RepositoryRef } from "../../engine/model/queue.ts";

/**
 * What one replica has learned and the others cannot read from the database. Losing a note loses time only: it
 * leaves a replica where it would be after a restart.
 */
export type ReplicaNote =
  /** Events were committed. */
  | { readonly kind: "queue"; readonly queueId: string }
  /** A webhook reported a check. */
  | {
      readonly kind: "check";
      readonly repo: RepositoryRef;
      readonly sha: string;
      readonly check: CheckFact;
    }
  /** A webhook reported when a pull request was last changed, by the code host's clock. */
  | {
      readonly kind: "pull_request";
      readonly repo: RepositoryRef;
      readonly pr: number;
      readonly changedAt: number;
    }
  /** A webhook reported a forced push to a queue's base. */
  | { readonly kind: "forced_push"; readonly queueId: string; readonly sha: string }
  /** `.github/trainyard.yml` was changed on a branch. */
  | { readonly kind: "repository_file"; readonly repo: RepositoryRef; readonly branch: string };
