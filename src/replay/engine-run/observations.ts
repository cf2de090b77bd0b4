import type { Observation } from "../../engine/model/input.ts";
import type { CiRun } from "./ci.ts";
import type { Repository } from "./repository.ts";
import { headOf } from "./submission.ts";

const checkName = "ci";

/** Reports that the run's test commit was created and pushed. */
export function commitBuilt({ id, composition }: CiRun, repository: Repository): Observation {
  return {
    type: "test_commit_concluded",
    runId: id,
    outcome: {
      kind: "built",
      branch: `simulated/${id}`,
      ...repository.build(composition, headOf),
      required: [{ name: checkName, appId: null }],
      requiredSource: "repo_provider_branch_protection",
    },
  };
}

/** Reports the result of the run's only check. */
export function checksReported({ id }: CiRun, number: number, passed: boolean): Observation {
  return {
    type: "checks_observed",
    runId: id,
    checks: [
      {
        kind: "check_run",
        name: checkName,
        appId: null,
        suiteId: number,
        id: number,
        status: "completed",
        conclusion: passed ? "success" : "failure",
        url: null,
      },
    ],
  };
}
