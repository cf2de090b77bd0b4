/**
 * The variants of a scenario that `npm test` plays: the first one, because each shows the same behaviour, such as with another merge
 * method. `npm run test:postgres` plays all of them, on PostgreSQL, and `npm test -- PATH` all that the path names.
 */
export function variants<const T>(all: readonly T[]): readonly T[] {
  return process.env.TRAINYARD_TESTS === "behaviour" ? all.slice(0, 1) : all;
}
