/** A command with an idempotency key. */
export interface KeyedRequest {
  readonly organisation: string;
  readonly key: string;
  /** Identifies the command: its endpoint and a digest of its body. */
  readonly request: string;
}

/** The state of a key. */
export type KeyState =
  /** Unknown key: carry out the command, then call `finish` or `forget`. */
  | { readonly kind: "new" }
  /** The command was carried out, with this answer. */
  | { readonly kind: "answered"; readonly answer: string }
  /** The command is in progress. */
  | { readonly kind: "under_way" }
  /** The key was used for another command. */
  | { readonly kind: "other_request" };

/**
 * Remembers the answers to commands, so that a repeated command gets the same answer and is not carried out
 * twice.
 */
export interface IdempotencyStore {
  /**
   * Claims a key. Keys older than `expired` are deleted. A key that has been in progress since before
   * `stalled` counts as new, because the process that claimed it has died.
   */
  begin(
    request: KeyedRequest,
    times: { readonly now: number; readonly expired: number; readonly stalled: number },
  ): Promise<KeyState>;
  finish(request: KeyedRequest, answer: string): Promise<void>;
  /** Frees the key, because nothing was done. */
  forget(request: KeyedRequest): Promise<void>;
}
