import * as z from "zod";
import { NamedTargets } from "../named-targets.ts";
import { textList } from "./text-list.ts";

const bounds = { maxItems: Number.POSITIVE_INFINITY, emptyItems: true, maxBytes: 4_096 };
/** More would take the service too long to store and to compare, and are taken for everything. */
export const mostTargets = 1_000_000;
const isNamed = (input: unknown): input is NamedTargets => input instanceof NamedTargets;

/** What a pull request impacts: opaque names, or everything. `IMPACTS_ALL` is an older client's word for that. */
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
