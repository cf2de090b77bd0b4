declare const opaque: unique symbol;

/** What a policy remembers about a queue. Only `policies/` knows what is in it. */
export interface PolicyMemory {
  readonly [opaque]?: never;
}

/** The memory of a queue whose policy has learned nothing yet. */
export const noPolicyMemory: PolicyMemory = {};
