import type { RepositoryRef } from "../engine/model/queue.ts";
import type { TargetClaim } from "../engine/model/target-claim.ts";

export interface TargetUpload extends TargetClaim {
  readonly repo: RepositoryRef;
  readonly pr: number;
  readonly headSha: string;
  readonly uploadedAt: number;
}

/** The first names of a head's impacted targets, and the number of targets. */
export interface NamedTargets {
  readonly names: readonly string[];
  readonly total: number | "ALL";
}

/**
 * The combined target uploads for each head of a pull request. An upload replaces the targets from its own or
 * a less trusted source, and is added to those from a more trusted one.
 */
export interface TargetStore {
  /**
   * Replaces or extends the targets of a head, atomically. Returns the targets that now apply. Without
   * `named`, the names stay unchanged.
   */
  put(upload: TargetUpload, named?: NamedTargets): Promise<TargetClaim>;
  has(repo: RepositoryRef, pr: number, headSha: string): Promise<boolean>;
  get(repo: RepositoryRef, pr: number, headSha: string): Promise<TargetUpload | null>;
  /** As uploaded within 30 days; null when nothing was uploaded or the names are unknown. */
  names(repo: RepositoryRef, pr: number, headSha: string): Promise<NamedTargets | null>;
}
