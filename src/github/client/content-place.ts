import type { Octokit } from "@octokit/rest";
import type { Repository } from "../test-commits/branches.ts";
import type { ContentWriter } from "./content-writer.ts";
import type { NodeIds } from "./node-ids.ts";

/** A repository in which we write checks and comments. */
export interface ContentPlace {
  readonly octokit: Octokit;
  readonly at: Repository;
  readonly writer: ContentWriter;
  readonly ids: NodeIds;
}
