import { escapeMarkdown } from "../../command/escape-markdown.ts";
import { type FileProblem, judgeRepositoryFile } from "../../command/parse-repository-file.ts";
import { repositoryFilePath } from "../../command/repository-file.ts";
import { counted } from "../../engine/reasons/sentence.ts";
import type { CheckRunContent } from "../../ports/code-host/checks.ts";
import type { FoundRepositoryFile, InstalledRepository } from "../../ports/code-host/code-host.ts";
import type { Bot } from "../bot.ts";

/** The external id of the check. It identifies a re-run of this check. */
export const repositoryFileCheckId = "repository-file";

/** The maximum that GitHub accepts in one call. */
const maxAnnotations = 50;

/**
 * Puts a check on a commit. It shows whether the commit's repository file is valid, with each fault at its line, and which files with
 * similar names are ignored.
 */
export async function checkRepositoryFile(
  { codeHost }: Bot,
  repo: InstalledRepository,
  sha: string,
): Promise<void> {
  const content = contentOf(await codeHost.readRepositoryFile(repo, sha));
  // The webhook may come twice, so such a check may exist.
  await codeHost.putCheckRun(repo, null, { ...content, headSha: sha }, true);
}

function contentOf(found: FoundRepositoryFile): Omit<CheckRunContent, "headSha"> {
  const check = {
    ...{ name: "Trainyard configuration", externalId: repositoryFileCheckId, detailsUrl: null },
    status: "completed",
  } as const;
  const judged = judgeRepositoryFile(found);
  if (!judged.ok) {
    const { path, problems } = judged;
    const annotated = problems.slice(0, maxAnnotations).map((problem) => ({
      path: found.path ?? found.strays[0] ?? path,
      line: problem.line ?? 1,
      message: sentence(problem),
    }));
    return {
      ...check,
      conclusion: "failure",
      title: `${counted(problems.length, "fault")} in ${path}`,
      summary: `If it is merged like this, nobody can queue pull requests.\n\n${problems.map(listed).join("\n")}`,
      annotations: annotated,
    };
  }
  const { path, strays } = found;
  const valid =
    path === null
      ? `There is no ${repositoryFilePath}: the defaults apply.`
      : "Every key is known and valid.";
  const unread = strays.length > 0 ? `Only ${path} is read, not ${strays.join(" and ")}.` : null;
  return {
    ...check,
    conclusion: unread === null ? "success" : "neutral",
    title: unread ?? valid,
    summary: `${unread === null ? "" : `${escapeMarkdown(unread)} `}${valid} It takes effect once it is on the branch that a queue merges into.`,
    annotations: [],
  };
}

function listed(problem: FileProblem): string {
  const where = problem.line === null ? "" : `line ${problem.line}: `;
  return `- ${where}${escapeMarkdown(sentence(problem))}`;
}

function sentence({ key, message }: FileProblem): string {
  return `${key === "" ? "It" : key} ${message}`;
}
