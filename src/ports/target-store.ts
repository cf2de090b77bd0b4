import type { RepositoryRef } from "../engine/model/queue.ts";
import type { TargetClaim } from "../engine/model/target-claim.ts";

export interface TargetUpload extends TargetClaim {
  readonly repo: RepositoryRef;
  readonly pr: number;
  readonly headSha: string;
  readonly uploadedAt: number;
}

/** The first names of what a head impacts, and how many targets there are. */
export interface NamedTargets {
  readonly names: readonly string[];
  readonly total: number | "ALL";
}

/** What the uploads for each head of a pull request come to. A source replaces what it, or a less trusted one, has said; to the rest it only adds. */
export interface TargetStore {
  /** Replaces what holds of the head, or adds to it, atomically. Answers what holds from now on. Without `named`, the names stay as they are. */
  put(upload: TargetUpload, named?: NamedTargets): Promise<TargetClaim>;
  has(repo: RepositoryRef, pr: number, headSha: string): Promise<boolean>;
  get(repo: RepositoryRef, pr: number, headSha: string): Promise<TargetUpload | null>;
  /** As was uploaded within 30 days; null: nothing was, or it is not known. */
  names(repo: RepositoryRef, pr: number, headSha: string): Promise<NamedTargets | null>;
}
