/** Keys that the service makes for itself. Whoever reads the database may sign: they are for what protects nothing that is in it. */
export interface SigningKeys {
  /** The key of this name: the one that is kept, or else the one given, which is kept from then on. All processes get the same. */
  obtain(name: string, fresh: Uint8Array): Promise<Uint8Array>;
}
