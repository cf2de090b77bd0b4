import type { Account } from "../world/account.ts";
import type { PullRequest } from "../world/pulls/pull-request.ts";
import type { Repository } from "../world/repository.ts";

/** Builds the URLs in responses, in the format of GitHub Enterprise Server. */
export class Urls {
  /** For example `http://127.0.0.1:1234`. */
  readonly base: string;

  constructor(base: string) {
    this.base = base;
  }

  get api(): string {
    return `${this.base}/api/v3`;
  }

  account(account: Account): string {
    return `${this.api}/users/${encodeURIComponent(account.login)}`;
  }

  repository(repository: Repository): string {
    return `${this.api}/repos/${repository.fullName}`;
  }

  html(repository: Repository): string {
    return `${this.base}/${repository.fullName}`;
  }

  clone(repository: Repository): string {
    return `${this.html(repository)}.git`;
  }

  pull(pull: PullRequest): string {
    return `${this.repository(pull.repository)}/pulls/${pull.number}`;
  }

  issue(pull: PullRequest): string {
    return `${this.repository(pull.repository)}/issues/${pull.number}`;
  }

  pullHtml(pull: PullRequest): string {
    return `${this.html(pull.repository)}/pull/${pull.number}`;
  }
}

/** Formats a time as GitHub does: ISO 8601 in UTC, without fractions of a second. */
export const isoTime = (date: Date): string => date.toISOString().replace(/\.\d+Z$/, "Z");
export const isoTimeOrNull = (date: Date | null): string | null => (date === null ? null : isoTime(date));

/** Returns GitHub's opaque global id of an object. */
export const nodeId = (type: string, id: number | string): string =>
  Buffer.from(`${type}:${id}`).toString("base64");
