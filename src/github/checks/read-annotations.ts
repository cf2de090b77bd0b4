import { stripVTControlCharacters } from "node:util";
import type { FailureAnnotation } from "../../ports/code-host/checks.ts";
import type { RepositoryApi } from "../client/repository-api.ts";

const mostRead = 50;
const longest = { place: 200, text: 500 } as const;
/** GitHub Actions reports there that a step failed. It is no file, and the line is one of the log. */
const noFile = ".github";

/**
 * Reads the failures among a check run's annotations. Those without a place in a file are left out if there are others: they only say that
 * a step failed.
 */
export async function readAnnotations(
  { octokit, at }: RepositoryApi,
  check_run_id: number,
): Promise<FailureAnnotation[]> {
  const { data } = await octokit.rest.checks.listAnnotations({ ...at, check_run_id, per_page: mostRead });
  const failures = data.filter(({ annotation_level }) => annotation_level === "failure");
  const found = failures.map(({ path, start_line, title, message }) => ({
    place: path === noFile ? null : `${plain(path, longest.place)}:${start_line}`,
    text: plain(title ? `${title}: ${message ?? ""}` : (message ?? ""), longest.text),
  }));
  const placed = found.filter(({ place }) => place !== null);
  return placed.length > 0 ? placed : found;
}

function plain(foreign: string, most: number): string {
  // Test runners write colours as escape sequences.
  const text = stripVTControlCharacters(foreign)
    .replaceAll(/[\p{Cc}\p{Bidi_Control}]+/gu, " ")
    .trim();
  return text.length > most ? `${text.slice(0, most).toWellFormed()}…` : text.toWellFormed();
}
