import { escapeMarkdown } from "../../command/escape-markdown.ts";
import {
  type FileProblem,
  type ParsedRepositoryFile,
  parseRepositoryFile,
} from "../../command/parse-repository-file.ts";
import { repositoryFilePath } from "../../command/repository-file.ts";
import { counted } from "../../engine/reasons/sentence.ts";
import type { CheckRunContent, InstalledRepository } from "../../ports/code-host/code-host.ts";
import type { BotParts } from "../parts.ts";

/** The external id of the check. It identifies a re-run of this check. */
export const repositoryFileCheckId = "repository-file";

/** The maximum that GitHub accepts at once. */
const maxAnnotations = 50;

/** Puts a check on a commit. It shows whether the commit's `.github/trainyard.yml` is valid, with each fault at its line. */
export async function checkRepositoryFile(
  { readFile, putCheckRun }: BotParts,
  repo: InstalledRepository,
  sha: string,
): Promise<void> {
  const text = await readFile(repo, sha, repositoryFilePath);
  const parsed = text === null ? null : parseRepositoryFile(text);
  // The webhook may come twice, so there may be such a check already.
  await putCheckRun(repo, null, { ...contentOf(parsed), headSha: sha }, true);
}

function contentOf(parsed: ParsedRepositoryFile | null): Omit<CheckRunContent, "headSha"> {
  const problems = parsed === null || parsed.ok ? [] : parsed.problems;
  const faults = `${counted(problems.length, "fault")} in ${repositoryFilePath}`;
  const valid =
    parsed === null
      ? `There is no ${repositoryFilePath}: the defaults apply.`
      : "Every key is known and valid.";
  return {
    name: "Trainyard configuration",
    externalId: repositoryFileCheckId,
    detailsUrl: null,
    status: "completed",
    conclusion: problems.length === 0 ? "success" : "failure",
    title: problems.length === 0 ? valid : faults,
    summary:
      problems.length === 0
        ? `${valid} It takes effect once it is on the branch that a queue merges into.`
        : `If it is merged like this, nobody can queue pull requests.\n\n${problems.map(listed).join("\n")}`,
    annotations: problems.slice(0, maxAnnotations).map((problem) => ({
      path: repositoryFilePath,
      line: problem.line,
      message: sentence(problem),
    })),
  };
}

function listed(problem: FileProblem): string {
  return `- line ${problem.line}: ${escapeMarkdown(sentence(problem))}`;
}

function sentence({ key, message }: FileProblem): string {
  return `${key === "" ? "It" : key} ${message}`;
}
