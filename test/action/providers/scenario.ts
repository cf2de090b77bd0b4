/** A repository, and what pull requests in it impact. */
export interface Scenario {
  /** Tells the scenarios of one tool apart. */
  readonly name?: string;
  /** The program that answers; null when the provider runs none. */
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
  /** What it impacts, sorted; or why that is everything. */
  readonly impacts: readonly string[] | { readonly allBecause: string };
}

export function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
