import type { components } from "@octokit/openapi-types";

/** The shape that GitHub's API description gives a named schema. */
export type Schema<Name extends keyof components["schemas"]> = components["schemas"][Name];
