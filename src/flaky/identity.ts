import type { Digest } from "./digest.ts";
import { isUuidOfName, uuidOf } from "./uuid.ts";

/** The parts of a test's name within its repository, as its report states them; null = the report does not state this part. */
export interface TestName {
  readonly file: string | null;
  readonly classname: string | null;
  /** The nearest suite that has a name. */
  readonly parent: string | null;
  readonly name: string;
}

/** The repository of a test, and the variant in which it ran. */
export interface TestScope {
  readonly organization: string;
  /** `host/owner/name`. */
  readonly repository: string;
  /** Separates runs of one test that are not comparable, such as on different operating systems; "" = no variant. */
  readonly variant: string;
}

/** The maximum number of characters of a variant. */
export const longestVariant = 64;

/**
 * The id of a test. It equals the id that Trunk's uploader computes, so that users who move from Trunk keep their ids. Without
 * `given`, a variant is hashed twice: with the names, and again with the resulting id.
 *
 * `given` is an id from the report: a UUID of version 5 is kept (with a variant, a new id is computed from it), an id that begins
 * with `trunk:` replaces the names, and any other is ignored.
 * Source: trunk-io/analytics-cli, `context/src/meta/id.rs` (our tests include the vectors of its tests).
 */
export function testIdOf(
  test: TestName,
  scope: TestScope,
  digest: Digest,
  given: string | null = null,
): string {
  const { organization, repository, variant } = scope;
  if (given?.startsWith("trunk:")) return idOf([organization, repository, given], 1, variant, digest);
  if (given && isUuidOfName(given)) return variant === "" ? given : idOf([given], 1, variant, digest);
  const { file, classname, parent, name } = test;
  const parts = [organization, repository, file ?? "", classname ?? "", parent ?? "", name, "JUNIT_TESTCASE"];
  const id = idOf(parts, 2, variant, digest);
  return variant === "" || given !== null ? id : idOf([id], 1, variant, digest);
}

/** @param varying see {@link uuidOf}. */
function idOf(parts: readonly string[], varying: number, variant: string, digest: Digest): string {
  return variant === "" ? uuidOf(parts, varying, digest) : uuidOf([...parts, variant], varying + 1, digest);
}
