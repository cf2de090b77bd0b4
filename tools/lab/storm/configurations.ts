import type { DemoOptions } from "../demo/run-demo.ts";

type Queue = Pick<DemoOptions, "mergeMethod" | "mergeBy" | "mode" | "batch">;

/** The queue configurations that are tried. */
export const configurations = {
  merge_commit: { mergeMethod: "merge_commit", mode: "single", batch: false },
  squash: { mergeMethod: "squash", mode: "single", batch: false },
  parallel: { mergeMethod: "merge_commit", mode: "parallel", batch: true },
  lanes: { mergeMethod: "merge_commit", mode: "parallel", batch: false },
  parallel_squash: { mergeMethod: "squash", mode: "parallel", batch: true },
  rebase: { mergeMethod: "rebase", mode: "single", batch: false },
  async: { mergeMethod: "merge_commit", mergeBy: "async_api", mode: "single", batch: false },
  async_squash: { mergeMethod: "squash", mergeBy: "async_api", mode: "parallel", batch: false },
} as const satisfies Record<string, Queue>;

export type Configuration = keyof typeof configurations;

const names = Object.keys(configurations) as Configuration[];

export const isConfiguration = (name: string): name is Configuration => Object.hasOwn(configurations, name);

/** Consecutive seeds use consecutive configurations. */
export const configurationOf = (seed: number): Configuration => names[seed % names.length] ?? "merge_commit";
