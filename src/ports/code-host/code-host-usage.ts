/** A rate limit of the code host, as its last response reported it. */
export interface Quota {
  /** `core`, `graphql`, … */
  readonly resource: string;
  readonly limit: number;
  readonly remaining: number;
}

/**
 * The calls that this process has made to the code host through one installation since the process started.
 */
export interface InstallationUsage {
  readonly installationId: number;
  /** Requests by `2xx` … `5xx`, and `none` when there was no response. */
  readonly requests: ReadonlyMap<string, number>;
  readonly quotas: readonly Quota[];
}

export interface CodeHostUsage {
  usage(): readonly InstallationUsage[];
}
