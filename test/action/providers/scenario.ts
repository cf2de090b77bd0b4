/** A repository, and the impact of pull requests in it. */
export interface Scenario {
  /** Distinguishes several scenarios of one tool. */
  readonly name?: string;
  /** The build tool that answers; null if the provider runs none. */
  readonly tool: string | null;
  readonly files: Readonly<Record<string, string>>;
  readonly changes: readonly PullRequest[];
}

export interface PullRequest {
  readonly what: string;
  /** New contents; null removes the file. */
  readonly changed: Readonly<Record<string, string | null>>;
  /** The input targets-paths. */
  readonly rules?: string;
  /** The sorted impacted targets, or why everything is impacted. */
  readonly impacts: readonly string[] | { readonly allBecause: string };
}

export function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
