/** A key in its stored form: a text, which may be sealed. */
export interface KeptKey {
  readonly name: string;
  readonly value: string;
}

/** Keys that the service generates for itself. */
export interface SigningKeys {
  /**
   * Returns the value stored under this name. If there is none, stores the given one and returns it. All
   * processes get the same value.
   */
  obtain(key: KeptKey): Promise<string>;
  list(): Promise<readonly KeptKey[]>;
  /** Replaces the stored form of a value. Changes nothing when the stored value is no longer `key`. */
  replace(key: KeptKey, value: string): Promise<void>;
}
