import type { components } from "@octokit/openapi-types";

/** The type of a named schema in GitHub's API description. */
export type Schema<Name extends keyof components["schemas"]> = components["schemas"][Name];
