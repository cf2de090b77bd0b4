/** What can be used to find targets. `auto` finds out which of them. */
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

/** Those that read what a build tool knows. */
export type BuildToolName = Exclude<ProviderName, "auto" | "paths" | "command" | "all">;
