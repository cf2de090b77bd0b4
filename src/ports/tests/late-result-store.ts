import type { RepositoryRef } from "../../engine/model/queue.ts";
import type { NumberedResult } from "./test-evaluation-store.ts";

/** A report that is kept until it is read again. */
export interface KeptReport {
  readonly encoding: "text" | "gzip" | "zstd";
  /** For the encoding `text`, it is compressed with zstd. */
  readonly content: Uint8Array;
}

/**
 * Results that are not stored with the upload: those of passed tests whose numbers were not looked up yet.
 */
export interface LateResults {
  /** The number of those results. */
  readonly passed: number;
  /** All reports of the upload, in order. */
  readonly reports: readonly KeptReport[];
}

/** An upload that lacks results, and the data for adding them. */
export interface IncompleteUpload {
  readonly id: number;
  readonly repo: RepositoryRef;
  readonly at: number;
  readonly variant: string;
  readonly cases: number;
  readonly reports: readonly KeptReport[];
}

/**
 * Uploads that were answered before all their results were stored. Until they are complete, neither they nor
 * later uploads of the repository are evaluated.
 */
export interface LateResultStore {
  /** The ids of incomplete uploads, oldest first. */
  incomplete(): Promise<readonly number[]>;
  /** Null when the upload is complete or deleted. */
  find(id: number): Promise<IncompleteUpload | null>;
  /**
   * Adds the missing results to an upload, marks it complete, and deletes its reports. Results that it
   * already has stay unchanged. Does nothing when the upload is complete.
   *
   * @param results iterated once.
   */
  complete(id: number, results: Iterable<NumberedResult>): Promise<void>;
}
