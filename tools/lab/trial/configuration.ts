import type { CiSettings } from "../../sandbox/ci/ci-settings.ts";
import { draw } from "../../sandbox/seeded-draw.ts";
import type { RulesetOptions } from "../../sandbox/world/rules/ruleset.ts";

/** A repository with its CI and queue, as a team might have them. */
export interface Configuration {
  readonly seed: number;
  readonly mergeMethod: "merge_commit" | "squash" | "rebase";
  readonly mode: "single" | "parallel";
  readonly policy: "fixed" | "adaptive";
  readonly concurrency: number;
  /** 1 = no batches. */
  readonly batchSize: number;
  readonly ci: CiStyle;
  /** Whether a pull request needs an approval. */
  readonly reviews: boolean;
  readonly rules: readonly RuleStyle[];
}

const ciStyles = ["tame", "all_branches", "cancelling", "few_runners", "reporter"] as const;
/**
 * CI behaviour:
 * - `tame`: runs on test branches only
 * - `all_branches`: runs on pushes to every branch, and on pull requests
 * - `cancelling`: a newer run of a branch cancels the older one
 * - `few_runners`: jobs wait for each other
 * - `reporter`: one of the required checks is a commit status of another App
 */
type CiStyle = (typeof ciStyles)[number];

const ruleStyles = ["restricted_updates", "messages", "paths"] as const;
/**
 * Rules on main:
 * - `restricted_updates`: only the App may update main
 * - `messages`: no commit message may contain `WIP`
 * - `paths`: nothing below `generated/` may change
 */
type RuleStyle = (typeof ruleStyles)[number];

/** Returns the `index`th configuration of a trial. Most settings take each of their values in turn. */
export function drawConfiguration(seed: number, index: number): Configuration {
  const pick = <T>(name: string, values: readonly T[]): T => {
    const place = Math.floor(draw(seed, "configuration", name) * values.length) + index;
    return values[place % values.length] as T;
  };
  const chance = (name: string) => draw(seed, "configuration", name, index) < 0.5;
  return {
    seed: seed * 1_000 + index,
    mergeMethod: pick("method", ["merge_commit", "squash", "rebase"] as const),
    mode: draw(seed, "mode", index) < 0.6 ? "single" : "parallel",
    policy: draw(seed, "policy", index) < 0.5 ? "fixed" : "adaptive",
    concurrency: pick("concurrency", [4, 2, 6]),
    batchSize: pick("batch", [1, 3, 1, 8, 2, 5]),
    ci: pick("ci", ciStyles),
    reviews: chance("reviews"),
    rules: ruleStyles.filter((style) => chance(style)),
  };
}

export const checks = ["build", "test"] as const;
const coverage = "coverage";

export function describeConfiguration(configuration: Configuration): string {
  const { mergeMethod, mode, policy, concurrency, batchSize, ci, reviews, rules } = configuration;
  const batch = batchSize === 1 ? [] : [`batches of ${batchSize}`];
  const required = [...(reviews ? ["reviews"] : []), ...rules];
  return [mergeMethod, mode, policy, `${concurrency} at once`, ...batch, `CI ${ci}`, ...required].join(", ");
}

const ciDurationMs = [60, 240] as const;

/** Returns the settings of the sandbox's CI for this style. */
export function ciOf({ ci }: Configuration, lastStep: CiSettings["lastStep"] = null): Partial<CiSettings> {
  const usual = { durationMs: ciDurationMs, lastStep };
  const everywhere = { name: "CI", on: { push: {}, pull_request: {} }, jobs: [...checks] };
  switch (ci) {
    case "tame":
    case "few_runners":
      return { ...usual, checks: [...checks] };
    case "all_branches":
      return { ...usual, workflows: [everywhere] };
    case "cancelling": {
      const concurrency = { group: `ci-$\{{ github.ref }}`, cancelInProgress: true };
      return { ...usual, workflows: [{ ...everywhere, concurrency }] };
    }
    case "reporter":
      return {
        ...usual,
        checks: [...checks],
        reporters: [{ app: "Coverage", reports: "status", name: coverage, on: everywhere.on, afterMs: 100 }],
      };
  }
}

/** The checks that main requires, in the order in which GitHub lists them. */
export const requiredChecksOf = ({ ci }: Configuration): string[] =>
  ci === "reporter" ? [...checks, coverage] : [...checks];

const rules: Readonly<Record<RuleStyle, RulesetOptions["rules"][number]>> = {
  restricted_updates: "update",
  messages: { type: "commit_message_pattern", operator: "contains", pattern: "WIP", negate: true },
  paths: { type: "file_path_restriction", restricted_file_paths: ["generated/**"] },
};

/** @param app the slug of the App, the only actor that may update main where updates are restricted */
export function rulesetsOf(configuration: Configuration, app: string): RulesetOptions[] {
  return configuration.rules.map((style) => ({
    name: style,
    rules: [rules[style]],
    ...(style === "restricted_updates" ? { bypass: [{ actor: app, mode: "exempt" }] } : {}),
  }));
}
