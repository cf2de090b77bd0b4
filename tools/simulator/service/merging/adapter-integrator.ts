import { toCodeHostError } from "../../../../src/github/client/code-host-error.ts";
import { NodeIds } from "../../../../src/github/client/node-ids.ts";
import { merge } from "../../../../src/github/merging/merge.ts";
import { buildTestCommit } from "../../../../src/github/test-commits/build-test-commit.ts";
import { HeadStacker } from "../../../../src/github/test-commits/stack-heads.ts";
import { RefUpdater } from "../../../../src/github/test-commits/update-refs.ts";
import type { InstalledRepository } from "../../../../src/ports/code-host/code-host.ts";
import { VirtualProcess } from "../virtual-process.ts";
import type { Integrator } from "./integrator.ts";
import { OwnBranches } from "./own-branches.ts";
import { type OctokitParts, VirtualOctokit } from "./virtual-octokit.ts";

/** What a process of the service remembers. */
interface Memory {
  readonly refs: RefUpdater;
  readonly stacker: HeadStacker;
}

/** The service's own adapter for GitHub, whose calls are simulated one by one. */
export function adapterIntegrator(parts: OctokitParts): Integrator {
  const memories = new WeakMap<object, Memory>();
  return {
    buildTestCommit: (repo, plan) =>
      throwing(() => {
        const { stacker, refs } = memory();
        return buildTestCommit(octokitOf(repo), at(repo), stacker, refs, plan);
      }),
    merge: (repo, plan, gate) =>
      throwing(() => {
        const { stacker, refs } = memory();
        return merge(octokitOf(repo), at(repo), stacker, refs, plan, gate);
      }),
  };

  function octokitOf(repo: InstalledRepository) {
    return new VirtualOctokit(parts, repo).client;
  }

  function memory(): Memory {
    const process = VirtualProcess.current() ?? memories;
    const known = memories.get(process);
    if (known) return known;
    const refs = new RefUpdater(new NodeIds());
    const begun = { refs, stacker: new HeadStacker(OwnBranches.scratchPrefix, refs) };
    memories.set(process, begun);
    return begun;
  }
}

const at = ({ owner, name: repo }: InstalledRepository) => ({ owner, repo });

/** Throws the errors of the port. */
async function throwing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toCodeHostError(error);
  }
}
