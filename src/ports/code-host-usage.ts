/** A limit of the code host, as its last answer told it. */
export interface Quota {
  /** `core`, `graphql`, … */
  readonly resource: string;
  readonly limit: number;
  readonly remaining: number;
}

/** What this process has asked of the code host through one installation, since it began. */
export interface InstallationUsage {
  readonly installationId: number;
  /** Requests by `2xx` … `5xx`, and `none` when no answer came. */
  readonly requests: ReadonlyMap<string, number>;
  readonly quotas: readonly Quota[];
}

export interface CodeHostUsage {
  usage(): readonly InstallationUsage[];
}
