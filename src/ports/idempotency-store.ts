/** A command that came with an idempotency key. */
export interface KeyedRequest {
  readonly organisation: string;
  readonly key: string;
  /** What distinguishes this command from others: its endpoint and a digest of its body. */
  readonly request: string;
}

/** What is known of a key. */
export type KeyState =
  /** Nothing: the command is to be carried out, and answered for by `finish` or `forget`. */
  | { readonly kind: "new" }
  /** It was carried out, and answered so. */
  | { readonly kind: "answered"; readonly answer: string }
  /** It is being carried out. */
  | { readonly kind: "under_way" }
  /** The key stands for another command. */
  | { readonly kind: "other_request" };

/** Remembers what was answered to commands, so that one that comes again is answered the same and not carried out twice. */
export interface IdempotencyStore {
  /**
   * Claims a key. Keys that began before `expired` are forgotten, and one that has been under way since before `stalled` is
   * new: whoever had it has died.
   */
  begin(
    request: KeyedRequest,
    times: { readonly now: number; readonly expired: number; readonly stalled: number },
  ): Promise<KeyState>;
  finish(request: KeyedRequest, answer: string): Promise<void>;
  /** Lets the key be used again: nothing was done. */
  forget(request: KeyedRequest): Promise<void>;
}
