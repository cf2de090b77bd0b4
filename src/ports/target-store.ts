import type { RepositoryRef } from "../engine/queue.ts";
import type { Targets } from "../engine/targets.ts";

export interface TargetUpload {
  readonly repo: RepositoryRef;
  readonly pr: number;
  readonly headSha: string;
  readonly targets: Targets;
  readonly uploadedAt: number;
}

/** Impacted targets by pull request and head. The last upload for a head wins. */
export interface TargetStore {
  put(upload: TargetUpload): Promise<void>;
  has(repo: RepositoryRef, pr: number, headSha: string): Promise<boolean>;
  get(repo: RepositoryRef, pr: number, headSha: string): Promise<TargetUpload | null>;
}
