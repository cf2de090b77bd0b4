import type { ContentWriter } from "./content-writer.ts";
import type { NodeIds } from "./node-ids.ts";
import type { RepositoryApi } from "./repository-api.ts";

/** A repository in which we write checks and comments. */
export interface ContentPlace extends RepositoryApi {
  readonly writer: ContentWriter;
  readonly ids: NodeIds;
}
