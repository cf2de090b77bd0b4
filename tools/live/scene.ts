import type { Octokit } from "@octokit/rest";
import type { Repository } from "../../src/github/branches.ts";
import type { Scratch } from "./scratch.ts";

/** What a claim has to look with. */
export interface Scene {
  /** As the App's installation. It remembers no answers, and waits where GitHub wants it to. */
  readonly github: Octokit;
  readonly at: Repository;
  readonly app: { readonly id: number; readonly slug: string };
  readonly scratch: Scratch;
  /** A client whose token has these permissions only. */
  readonly narrow: (permissions: Readonly<Record<string, "read" | "write">>) => Promise<Octokit>;
  /** How long GitHub may take over what it does in its own time, in milliseconds. */
  readonly patienceMs: number;
}
