import type { Digest } from "./digest.ts";
import { isUuidOfName, uuidOf } from "./uuid.ts";

/** What names a test within its repository, as its report has it; null = the report does not say. */
export interface TestName {
  readonly file: string | null;
  readonly classname: string | null;
  /** The nearest suite that has a name. */
  readonly parent: string | null;
  readonly name: string;
}

/** Whose test it is, and in which surroundings it ran. */
export interface TestScope {
  readonly organization: string;
  /** `host/owner/name`. */
  readonly repository: string;
  /** What tells runs of one test apart that are not comparable, such as operating systems; "" = nothing. */
  readonly variant: string;
}

/** Characters of a variant. */
export const longestVariant = 64;

/**
 * The id of a test: the one that Trunk's uploader computes, so that whoever moves here keeps theirs. A variant goes in twice:
 * with the names, and once more over the id that comes of it.
 *
 * `given` is an id that the report carries: a UUID of version 5 is kept (with a variant, it is the name of a new one), what
 * begins with `trunk:` stands for the names, and anything else is passed over.
 * Source: trunk-io/analytics-cli, `context/src/meta/id.rs` (the vectors of its tests are in ours).
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
