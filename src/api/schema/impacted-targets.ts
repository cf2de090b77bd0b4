import * as z from "zod";
import { NamedTargets } from "../bodies/named-targets.ts";
import { textList } from "./text-list.ts";

const bounds = { maxItems: Number.POSITIVE_INFINITY, emptyItems: true, maxBytes: 4_096 };
/** A longer list would take too long to store and to compare. It counts as "ALL". */
export const mostTargets = 1_000_000;
const isNamed = (input: unknown): input is NamedTargets => input instanceof NamedTargets;

/** The targets that a pull request impacts: opaque names, or all. Older clients write `IMPACTS_ALL` for "ALL". */
export const impactedTargets = z
  .union([z.enum(["ALL", "IMPACTS_ALL"]).transform(() => "ALL" as const), textList(bounds, isNamed)], {
    error: (issue) => (issue.input === undefined ? undefined : 'must be a list of strings, or "ALL"'),
  })
  .transform((targets) =>
    targets === "ALL" || targets instanceof NamedTargets ? targets : NamedTargets.of(targets),
  )
  .describe(
    'Names of what the pull request impacts; "ALL" impacts every target, [] none. More than 1,000,000 different ones are taken as "ALL".',
  );
