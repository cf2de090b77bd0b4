import { NodeIds } from "../../../../src/github/client/node-ids.ts";
import { merge } from "../../../../src/github/merging/merge.ts";
import { buildTestCommit } from "../../../../src/github/test-commits/build-test-commit.ts";
import { HeadStacker } from "../../../../src/github/test-commits/stack-heads.ts";
import { RefUpdater } from "../../../../src/github/test-commits/update-refs.ts";
import type { InstalledRepository } from "../../../../src/ports/code-host/code-host.ts";
import { throwing } from "../octokit/octokit-errors.ts";
import { perProcess } from "../virtual-process.ts";
import type { Integrator } from "./integrator.ts";
import { MergingOctokit, type MergingOctokitParts } from "./merging-octokit.ts";
import { OwnBranches } from "./own-branches.ts";

/** The service's own adapter for GitHub, whose calls are simulated one by one. */
export function adapterIntegrator(parts: MergingOctokitParts): Integrator {
  const stacker = perProcess(() => new HeadStacker(OwnBranches.scratchPrefix, new RefUpdater(new NodeIds())));
  return {
    buildTestCommit: (repo, plan) => throwing(() => buildTestCommit(apiOf(repo), stacker(), plan)),
    merge: (repo, plan, gate) => throwing(() => merge(apiOf(repo), stacker(), plan, gate)),
  };

  function apiOf(repo: InstalledRepository) {
    return { octokit: new MergingOctokit(parts, repo).client, at: { owner: repo.owner, repo: repo.name } };
  }
}
