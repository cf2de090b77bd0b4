import { scratchName, testBranchName } from "../../engine/model/test-run.ts";
import type { OwnBranchNames } from "../../ports/code-host/doctor-facts.ts";
import type { BranchPrefixes } from "../observation/own-branches.ts";

const anyRun = { id: "00000000-0000-4000-8000-000000000000", members: [1] } as const;

/** Example names for the branches of a queue. */
export function ownBranchNames({ test, scratch }: BranchPrefixes, branch: string): OwnBranchNames {
  return { testPrefix: test, test: testBranchName(test, anyRun), scratch: scratch + scratchName(branch) };
}
