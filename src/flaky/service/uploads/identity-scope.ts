import { nameKey } from "../../../engine/model/names.ts";
import type { TestRepository } from "../../../ports/tests/test-result-store.ts";
import type { TestScope } from "../../identity.ts";

/** The parts of a test id that come from the repository. */
export function identityScopeOf({ repo }: TestRepository): Omit<TestScope, "variant"> {
  return {
    organization: nameKey(repo.owner),
    repository: `${repo.host}/${repo.owner}/${repo.name}`,
  };
}
