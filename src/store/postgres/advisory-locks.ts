/**
 * The keys of our advisory locks: two numbers each, of which the first identifies us. The locks belong to a transaction, never to a
 * session, because a pooler in transaction mode gives each transaction another one.
 */
const ours = 29_810;

export const advisoryLocks = { writer: [ours, 1], owner: [ours, 2], migration: [ours, 3] } as const;
