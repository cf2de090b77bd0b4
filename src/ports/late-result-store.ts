import type { RepositoryRef } from "../engine/model/queue.ts";
import type { NumberedResult } from "./test-evaluation-store.ts";

/** A report, as it is kept until it has been read again. */
export interface KeptReport {
  readonly encoding: "text" | "gzip" | "zstd";
  /** A text is compressed. */
  readonly content: Uint8Array;
}

/** Results that an upload is kept without: those of tests that passed and are not looked up yet. */
export interface LateResults {
  /** The results. */
  readonly passed: number;
  /** All reports of the upload, in their order. */
  readonly reports: readonly KeptReport[];
}

/** An upload that lacks results, and what they are found by. */
export interface IncompleteUpload {
  readonly id: number;
  readonly repo: RepositoryRef;
  readonly at: number;
  readonly variant: string;
  readonly cases: number;
  readonly reports: readonly KeptReport[];
}

/** Uploads that were answered before all of their results were kept. Until then, neither they nor later ones of the repository are evaluated. */
export interface LateResultStore {
  /** The ids of uploads that lack results, the oldest first. */
  incomplete(): Promise<readonly number[]>;
  /** Null: it is complete, or has been deleted. */
  find(id: number): Promise<IncompleteUpload | null>;
  /**
   * Adds results to an upload, which lacks none from then on, and forgets its reports. Those that it has already stay as they are. Nothing
   * happens when it lacks none.
   *
   * @param results gone through once.
   */
  complete(id: number, results: Iterable<NumberedResult>): Promise<void>;
}
