import type { Octokit } from "@octokit/rest";
import type { Repository } from "./branches.ts";
import { statusOf } from "./code-host-error.ts";

/** Marks our comment among others, invisibly. */
const marker = "<!-- trainyard -->";
/** Longest comment that GitHub takes. */
const maxBody = 65_536;

export async function putComment(
  octokit: Octokit,
  at: Repository,
  issue_number: number,
  id: number | null,
  text: string,
  mayExist: boolean,
): Promise<number> {
  const known = id ?? (mayExist ? await findComment(octokit, at, issue_number) : null);
  const body = `${marker}\n${text}`.slice(0, maxBody);
  if (known !== null) {
    try {
      return (await octokit.rest.issues.updateComment({ ...at, comment_id: known, body })).data.id;
    } catch (error) {
      if (statusOf(error) !== 404) throw error;
      // Somebody deleted it, unless it can be seen: then another would stand beside it.
      if ((await findComment(octokit, at, issue_number)) === known) throw error;
    }
  }
  return (await octokit.rest.issues.createComment({ ...at, issue_number, body })).data.id;
}

async function findComment(octokit: Octokit, at: Repository, issue_number: number): Promise<number | null> {
  const comments = await octokit.paginate(octokit.rest.issues.listComments, {
    ...at,
    issue_number,
    per_page: 100,
  });
  return (
    comments.find((comment) => comment.body?.startsWith(marker) && comment.user?.type === "Bot")?.id ?? null
  );
}
