import type { IssueContent, TrackedIssue } from "../../ports/code-host/code-host.ts";
import { statusOf } from "../client/code-host-error.ts";
import type { RepositoryApi } from "../client/repository-api.ts";

/** The maximum lengths of texts on GitHub. */
const longest = { title: 256, body: 65_536 } as const;

/** Marks our text invisibly with its subject. Text by others never comes first, so it cannot imitate the marker. */
function marked(subject: string, text: string): string {
  return `${markerOf(subject)}\n${text}`.slice(0, longest.body);
}

const markerOf = (subject: string) => `<!-- trainyard ${subject} -->`;

export async function findIssue(
  { octokit, at }: RepositoryApi,
  subject: string,
  since: number,
): Promise<TrackedIssue | null> {
  const pages = octokit.paginate.iterator(octokit.rest.issues.listForRepo, {
    ...at,
    state: "all",
    since: new Date(since).toISOString(),
    per_page: 100,
  });
  for await (const { data } of pages) {
    const found = data.find(
      ({ body, user, pull_request }) =>
        !pull_request && user?.type === "Bot" && body?.startsWith(markerOf(subject)),
    );
    if (found) return { number: found.number, url: found.html_url };
  }
  return null;
}

export async function openIssue(
  { octokit, at }: RepositoryApi,
  { subject, title, body, labels }: IssueContent,
): Promise<TrackedIssue> {
  const { data } = await octokit.rest.issues.create({
    ...at,
    title: title.slice(0, longest.title),
    body: marked(subject, body),
    labels: [...labels],
  });
  return { number: data.number, url: data.html_url };
}

export async function editIssue(
  { octokit, at }: RepositoryApi,
  issue_number: number,
  { subject, body, state }: { subject: string; body: string; state: "open" | "closed" },
): Promise<TrackedIssue | null> {
  try {
    const text = { body: marked(subject, body), state };
    const { data } = await octokit.rest.issues.update({ ...at, issue_number, ...text });
    return { number: data.number, url: data.html_url };
  } catch (error) {
    // A user has deleted the issue. If issues are disabled, GitHub also answers 410; opening an issue then reports that.
    if (statusOf(error) === 410) return null;
    throw error;
  }
}

export async function commentOnIssue(
  api: RepositoryApi,
  issue_number: number,
  { key, body }: { key: string; body: string },
  mayExist: boolean,
): Promise<void> {
  if (mayExist && (await hasComment(api, issue_number, key))) return;
  await api.octokit.rest.issues.createComment({ ...api.at, issue_number, body: marked(key, body) });
}

async function hasComment(
  { octokit, at }: RepositoryApi,
  issue_number: number,
  key: string,
): Promise<boolean> {
  const list = octokit.rest.issues.listComments;
  const comments = await octokit.paginate(list, { ...at, issue_number, per_page: 100 });
  return comments.some(({ body, user }) => user?.type === "Bot" && body?.startsWith(markerOf(key)));
}
