/** Kills one service at every boundary. */
export const options = {
  at: null,
  every: 1,
  replicas: 1,
  events: ["kill"],
  laterEvents: [],
  seed: 1,
  boundaries: "effects",
  by: "api",
  settings: {},
  withoutWebhooks: false,
  progress: () => {},
} as const;
/** Four hundred lives on a busy machine. */
export const timeoutMs = 1_800_000;
