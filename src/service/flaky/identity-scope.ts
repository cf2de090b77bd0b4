import type { TestScope } from "../../flaky/identity.ts";
import type { TestRepository } from "../../ports/test-result-store.ts";

/** What the ids of a repository's tests are made of, beside their names. */
export function identityScopeOf({ repo }: TestRepository): Omit<TestScope, "variant"> {
  return {
    organization: repo.owner.toLowerCase(),
    repository: `${repo.host}/${repo.owner}/${repo.name}`,
  };
}
