/** The ways to find targets. `auto` detects the build tool. */
export const providerNames = [
  "auto",
  "bazel",
  "nx",
  "turborepo",
  "pnpm",
  "yarn",
  "npm",
  "cargo",
  "go",
  "paths",
  "command",
  "all",
] as const;

export type ProviderName = (typeof providerNames)[number];

/** The providers that ask a build tool. */
export type BuildToolName = Exclude<ProviderName, "auto" | "paths" | "command" | "all">;
