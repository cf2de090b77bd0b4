import * as z from "zod";
import { textList } from "./text-list.ts";

const maxTargetBytes = 4_096;

/** What a pull request impacts: opaque names, or everything. `IMPACTS_ALL` is an older client's word for that. */
export const impactedTargets = z
  .union(
    [
      z.enum(["ALL", "IMPACTS_ALL"]).transform(() => "ALL" as const),
      textList({ maxItems: Number.POSITIVE_INFINITY, emptyItems: true, maxBytes: maxTargetBytes }),
    ],
    { error: (issue) => (issue.input === undefined ? undefined : 'must be a list of strings, or "ALL"') },
  )
  .describe('Names of what the pull request impacts; "ALL" impacts every target, [] none.');
