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
  const found = mayExist ? await findComments(octokit, at, issue_number) : [];
  const known = id ?? found[0] ?? null;
  const body = `${marker}\n${text}`.slice(0, maxBody);
  if (known !== null) {
    for (const other of found) if (other !== known) await deleteComment(octokit, at, other);
    try {
      return (await octokit.rest.issues.updateComment({ ...at, comment_id: known, body })).data.id;
    } catch (error) {
      if (statusOf(error) !== 404) throw error;
      // Somebody deleted it, unless it can be seen: then another would stand beside it.
      if ((await findComments(octokit, at, issue_number)).includes(known)) throw error;
    }
  }
  return (await octokit.rest.issues.createComment({ ...at, issue_number, body })).data.id;
}

async function deleteComment(octokit: Octokit, at: Repository, comment_id: number): Promise<void> {
  try {
    await octokit.rest.issues.deleteComment({ ...at, comment_id });
  } catch (error) {
    if (statusOf(error) !== 404) throw error;
  }
}

/** Our comments, the oldest first. */
async function findComments(octokit: Octokit, at: Repository, issue_number: number): Promise<number[]> {
  const comments = await octokit.paginate(octokit.rest.issues.listComments, {
    ...at,
    issue_number,
    per_page: 100,
  });
  const own = comments.filter(({ body, user }) => body?.startsWith(marker) && user?.type === "Bot");
  return own.map(({ id }) => id);
}
