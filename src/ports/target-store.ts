import type { RepositoryRef } from "../engine/queue.ts";

export interface TargetUpload {
  readonly repo: RepositoryRef;
  readonly pr: number;
  readonly headSha: string;
  /** `ALL` impacts every target; an empty list impacts nothing. */
  readonly targets: "ALL" | readonly string[];
  readonly uploadedAt: number;
}

/** Impacted targets by pull request and head. The last upload for a head wins. */
export interface TargetStore {
  put(upload: TargetUpload): Promise<void>;
  has(repo: RepositoryRef, pr: number, headSha: string): Promise<boolean>;
  get(repo: RepositoryRef, pr: number, headSha: string): Promise<TargetUpload | null>;
}
