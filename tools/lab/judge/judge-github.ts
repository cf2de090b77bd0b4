import { setTimeout as sleep } from "node:timers/promises";
import type { Octokit } from "@octokit/rest";
import type { OpenedPullRequest } from "../demo/authors.ts";
import type { Ended } from "./judge-base.ts";

interface Place {
  readonly octokit: Octokit;
  readonly owner: string;
  readonly repo: string;
  /** The login of the App's bot. */
  readonly bot: string;
  /** The label that shows each state; states that are not listed have no label. */
  readonly labels: Readonly<Record<string, string>>;
}

const words: Readonly<Record<string, RegExp>> = {
  merged: /\bmerged\b/i,
  failed: /\bremoved from the queue\b/i,
  cancelled: /\bremoved from the queue\b/i,
};
const conclusions: Readonly<Record<string, string>> = {
  merged: "success",
  failed: "failure",
  cancelled: "cancelled",
};
const commandLine = /^\/trainyard\s/m;
const againMs = 500;

/**
 * Returns what GitHub shows wrongly about pull requests that have ended. Returns an empty list once everything is right, waiting
 * up to `patienceMs`.
 */
export async function judgeGitHub(
  place: Place,
  pullRequests: readonly OpenedPullRequest[],
  ended: readonly Ended[],
  patienceMs: number,
): Promise<string[]> {
  const deadline = Date.now() + patienceMs;
  const wrong: string[] = [];
  for (const pr of pullRequests) {
    const end = ended.find(({ number }) => number === pr.number);
    if (!end || end.live) continue;
    for (;;) {
      const found = await judgePullRequest(place, pr, end);
      if (found.length === 0) break;
      if (Date.now() > deadline) {
        wrong.push(...found);
        break;
      }
      await sleep(againMs);
    }
  }
  return wrong;
}

async function judgePullRequest(
  place: Place,
  { number, admitted }: OpenedPullRequest,
  end: Ended,
): Promise<string[]> {
  const { state, headSha } = end;
  const { octokit, owner, repo } = place;
  const { data: pull } = await octokit.rest.pulls.get({ owner, repo, pull_number: number });
  const wrong = [
    ...(await judgeComments(place, end)),
    ...(await judgeCheck(place, headSha, state)),
    ...judgeLabels(place, pull.labels, state),
  ];
  if (pull.merged !== (state === "merged"))
    wrong.push(`is ${pull.merged ? "" : "not "}merged on GitHub, and ${state} in the queue`);
  if (pull.merged && !admitted.has(pull.head.sha))
    wrong.push(`merged ${pull.head.sha}, which nobody admitted`);
  return wrong.map((text) => `#${number} ${text}`);
}

async function judgeComments(place: Place, end: Ended): Promise<string[]> {
  const { number, state } = end;
  const { octokit, owner, repo, bot } = place;
  const { data: comments } = await octokit.rest.issues.listComments({
    ...{ owner, repo, issue_number: number, per_page: 100 },
  });
  const own = comments.filter(({ user }) => user?.login === bot);
  const wrong: string[] = judgeLosses(
    own.map(({ body }) => body ?? ""),
    end,
  );
  const shown = own.filter((comment) => !("minimized" in comment) || comment.minimized === null);
  if (shown.length !== 1) wrong.push(`has ${shown.length} comments of ours that are not hidden, not one`);
  else if (!words[state]?.test(shown[0]?.body ?? ""))
    wrong.push(
      `ended ${state}, and its comment says: ${shown[0]?.body?.replace(/<!--.*?-->\s*/g, "").split("\n")[0]}`,
    );
  for (const { id, body, user } of comments) {
    if (user?.login === bot || !commandLine.test(body ?? "")) continue;
    const { data: reactions } = await octokit.rest.reactions.listForIssueComment({
      owner,
      repo,
      comment_id: id,
    });
    if (!reactions.some((reaction) => reaction.user?.login === bot))
      wrong.push(`has a command that was not answered: ${body} (by ${user?.login})`);
  }
  return wrong;
}

/** Each lost place has its own comment, which mentions the author. A pull request that merged at once has none. */
function judgeLosses(own: readonly string[], { state, reason, plan: { author } }: Ended): string[] {
  const losses = own.flatMap((body) => /^<!-- trainyard (\S+) -->/.exec(body)?.[1] ?? []);
  const last = own.at(-1) ?? "";
  const isTold = state === "failed" || reason === "PUSHED_TO";
  return [
    ...(new Set(losses).size === losses.length ? [] : ["has two comments about one lost place"]),
    ...(own.length - losses.length > 1 ? ["has two comments about no lost place"] : []),
    ...(isTold && (losses.length === 0 || !last.includes(`@${author}`))
      ? [`ended ${state}, and nobody was told: ${last}`]
      : []),
  ];
}

async function judgeCheck(place: Place, headSha: string, state: string): Promise<string[]> {
  const { octokit, owner, repo } = place;
  // Like GitHub's pages, which show the latest of several checks with the same name.
  const { data } = await octokit.rest.checks.listForRef({ owner, repo, ref: headSha, filter: "latest" });
  const runs = data.check_runs.filter(({ name }) => name.startsWith("Trainyard ("));
  if (runs.length !== 1) return [`has ${runs.length} checks of ours on ${headSha.slice(0, 7)}, not one`];
  const [run] = runs;
  if (run?.status === "completed" && run.conclusion === conclusions[state]) return [];
  return [`ended ${state}, and its check is ${run?.status} (${run?.conclusion}): ${run?.output.title}`];
}

function judgeLabels({ labels }: Place, shown: readonly { name: string }[], state: string): string[] {
  const ours = new Set(Object.values(labels));
  const found = shown.map(({ name }) => name).filter((name) => ours.has(name));
  const expected = labels[state];
  if (found.join() === (expected ?? "")) return [];
  return [`ended ${state}, and is labelled "${found.join('", "')}" instead of "${expected}"`];
}

interface Repository {
  readonly owner: string;
  readonly name: string;
}

/** Returns the branches that the service left behind although it had time to clean up after the last merge. */
export async function findLitter(
  octokit: Octokit,
  { owner, name: repo }: Repository,
  patienceMs: number,
): Promise<string[]> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const { data } = await octokit.rest.git.listMatchingRefs({ owner, repo, ref: "heads/trainyard-" });
    if (data.length === 0 || Date.now() > deadline) return data.map(({ ref }) => `${ref} was left behind`);
    await sleep(200);
  }
}
