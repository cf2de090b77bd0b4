import type { RepositoryRef } from "../engine/queue.ts";
import type { TargetClaim } from "../engine/target-claim.ts";

export interface TargetUpload extends TargetClaim {
  readonly repo: RepositoryRef;
  readonly pr: number;
  readonly headSha: string;
  readonly uploadedAt: number;
}

/** What the uploads for each head of a pull request come to. A source replaces what it, or a less trusted one, has said; to the rest it only adds. */
export interface TargetStore {
  /** Replaces what holds of the head, or adds to it, atomically. Answers what holds from now on. */
  put(upload: TargetUpload): Promise<TargetClaim>;
  has(repo: RepositoryRef, pr: number, headSha: string): Promise<boolean>;
  get(repo: RepositoryRef, pr: number, headSha: string): Promise<TargetUpload | null>;
}
