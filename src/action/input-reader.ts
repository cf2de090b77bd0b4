import type { InputIssue } from "./inputs.ts";
import { globProblems, splitGlobs } from "./targets/globs.ts";

/** Reads inputs one by one, and collects all faults instead of stopping at the first. */
export class InputReader {
  readonly issues: InputIssue[] = [];
  readonly #get: (name: string) => string;

  constructor(get: (name: string) => string) {
    this.#get = get;
  }

  fault(input: string, problem: string): void {
    this.issues.push({ input, problem });
  }

  /** @param longest the maximum number of characters. */
  text(input: string, longest = Number.POSITIVE_INFINITY): string | null {
    const value = this.#get(input).trim() || null;
    if (value !== null && value.length > longest)
      this.fault(input, `is longer than ${longest} characters; use a shorter name`);
    return value;
  }

  testBranchPrefix(): string {
    return this.text("test-branch-prefix") ?? "trainyard-merge/";
  }

  /** Null when it is empty. */
  json(input: string): unknown {
    try {
      return JSON.parse(this.text(input) ?? "null");
    } catch {
      this.fault(input, "is not JSON; leave it out, or use toJSON(matrix)");
      return null;
    }
  }

  sha(input: string): string | null {
    const value = this.text(input)?.toLowerCase() ?? null;
    if (value !== null && !/^([0-9a-f]{40}|[0-9a-f]{64})$/.test(value))
      this.fault(input, `is "${value}"; use the full SHA of a commit`);
    return value;
  }

  boolean(input: string): boolean {
    const value = this.text(input)?.toLowerCase() ?? "false";
    if (value !== "true" && value !== "false") this.fault(input, `is "${value}"; use true or false`);
    return value === "true";
  }

  oneOf<const Word extends string>(
    input: string,
    words: readonly Word[],
    otherwise: Word | null,
  ): Word | null {
    const value = this.text(input);
    const word = words.find((known) => known === value?.toLowerCase());
    if (word !== undefined) return word;
    if (value === null && otherwise !== null) return otherwise;
    this.fault(input, `${value === null ? "is missing" : `is "${value}"`}; use ${listed(words)}`);
    return null;
  }

  /** The URL of a service. Credentials in it are refused, and are not repeated in the message. */
  url(input: string): string {
    const value = this.text(input);
    const url = value === null ? null : URL.parse(value);
    const isWeb = url?.protocol === "https:" || url?.protocol === "http:";
    if (value === null) this.fault(input, "is missing; give the address of the service, https://…");
    else if (!url || !isWeb) this.fault(input, "is not an address; give that of the service, https://…");
    else if (url.username || url.password) this.fault(input, "contains credentials; pass them as api-token");
    return url && isWeb ? url.origin + url.pathname.replace(/\/+$/, "") : "";
  }

  /**
   * A secret, which is never repeated in a message. Characters that a header cannot hold are refused here, because the code that
   * sends the header would repeat the secret in its error.
   */
  token(input: string): string | null {
    const value = this.text(input);
    if (value === null || /^[\x21-\x7e]+$/.test(value)) return value;
    this.fault(
      input,
      "contains characters that are not allowed in a token, such as a line break; store the secret again",
    );
    return null;
  }

  repository(input: string): { owner: string; name: string } | null {
    const value = this.text(input);
    if (value === null) return null;
    const [, owner, name] = /^([\w.-]+)\/([\w.-]+)$/.exec(value) ?? [];
    if (owner && name) return { owner, name };
    this.fault(input, `is "${value}"; use owner/name`);
    return null;
  }

  pullRequest(input: string): number | null {
    const value = this.text(input);
    if (value === null) return null;
    const number = /^#?([1-9]\d{0,9})$/.exec(value)?.[1];
    if (number === undefined) this.fault(input, `is "${value}"; use the number of a pull request`);
    return number === undefined ? null : Number(number);
  }

  minutes(input: string, otherwise: number, max: number, mayBeZero = false): number {
    const value = this.text(input);
    if (value === null) return otherwise;
    const minutes = /^\d+(\.\d+)?$/.test(value) ? Number(value) : -1;
    if ((minutes > 0 || (minutes === 0 && mayBeZero)) && minutes <= max) return minutes;
    this.fault(input, `is "${value}"; use a number of minutes, at most ${max}`);
    return otherwise;
  }

  /** A directory within the checkout, relative to its top. */
  directory(input: string): string {
    return this.#inside(input) ?? ".";
  }

  /** The path of a file within the checkout, relative to its top; empty when there is none. */
  file(input: string): string {
    return this.#inside(input) ?? "";
  }

  #inside(input: string): string | null {
    const value = this.text(input);
    if (value === null) return null;
    const isInside = !value.startsWith("/") && !value.split(/[\\/]/).includes("..");
    if (!isInside) this.fault(input, `is "${value}"; use a path from the top of the checkout`);
    return isInside ? value : null;
  }

  /** Items separated by commas, or one item a line. With several lines, items may contain commas. */
  list(input: string): string[] {
    const text = this.#get(input).trim();
    const items = text.split(text.includes("\n") ? "\n" : ",");
    return items.map((item) => item.trim()).filter((item) => item !== "");
  }

  /** Globs separated by commas or line breaks; a leading `!` excludes. */
  globs(input: string): string[] {
    const globs = splitGlobs(this.#get(input).replaceAll("\n", ","));
    for (const problem of globProblems(globs)) this.fault(input, problem);
    return globs;
  }
}

function listed(words: readonly string[]): string {
  return words.length === 1 ? (words[0] ?? "") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}
