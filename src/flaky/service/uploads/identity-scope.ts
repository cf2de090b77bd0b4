import { nameKey } from "../../../engine/model/names.ts";
import type { TestScope } from "../../identity.ts";
import type { TestRepository } from "../../store/uploads/test-result-rows.ts";

/** The parts of a test id that come from the repository. */
export function identityScopeOf({ repo }: TestRepository): Omit<TestScope, "variant"> {
  return {
    organization: nameKey(repo.owner),
    repository: `${repo.host}/${repo.owner}/${repo.name}`,
  };
}
