/** A key as it is kept: as text, which may be sealed. */
export interface KeptKey {
  readonly name: string;
  readonly value: string;
}

/** Keys that the service makes for itself. */
export interface SigningKeys {
  /** What is kept under this name, or else what is given, which is kept from then on. All processes get the same. */
  obtain(key: KeptKey): Promise<string>;
  list(): Promise<readonly KeptKey[]>;
  /** Keeps a value in another form. Changes nothing when it is not kept like this any more. */
  replace(key: KeptKey, value: string): Promise<void>;
}
