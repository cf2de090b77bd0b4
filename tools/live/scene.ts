import type { Octokit } from "@octokit/rest";
import type { Repository } from "../../src/github/client/repository-api.ts";
import type { Scratch } from "./scratch.ts";

/** The tools with which a claim observes GitHub. */
export interface Scene {
  /** The client of the App's installation. It caches no responses, and waits when GitHub's limits require it. */
  readonly github: Octokit;
  readonly at: Repository;
  readonly app: { readonly id: number; readonly slug: string };
  readonly scratch: Scratch;
  /** Creates a client whose token has only these permissions. */
  readonly narrow: (permissions: Readonly<Record<string, "read" | "write">>) => Promise<Octokit>;
  /** How long GitHub may take for asynchronous work, in milliseconds. */
  readonly patienceMs: number;
}
