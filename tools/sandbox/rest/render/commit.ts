import type { FileChange } from "../../git/diff.ts";
import type { Commit, Signature } from "../../git/git-object.ts";
import type { Repository } from "../../world/repository.ts";
import type { World } from "../../world/world.ts";
import type { Schema } from "../operation.ts";
import { isoTime, nodeId, type Urls } from "../urls.ts";
import { renderAccount } from "./account.ts";

/** The sandbox signs nothing. GitHub signs the commits of its merge buttons. */
const UNSIGNED = { verified: false, reason: "unsigned", signature: null, payload: null, verified_at: null };

const renderSignature = ({ name, email, date }: Signature) => ({ name, email, date: isoTime(date) });

/** Returns the account of a commit's no-reply address. GitHub also recognises other addresses. */
function signer(world: World, urls: Urls, { email }: Signature): Schema<"simple-user"> | null {
  const [, login] = /^\d+\+(.+)@users\.noreply\.github\.com$/.exec(email) ?? [];
  const account = login === undefined ? null : world.account(login);
  return account === null ? null : renderAccount(urls, account);
}

export function renderGitCommit(urls: Urls, repository: Repository, commit: Commit): Schema<"git-commit"> {
  const url = urls.repository(repository);
  return {
    sha: commit.sha,
    node_id: nodeId("Commit", commit.sha),
    url: `${url}/git/commits/${commit.sha}`,
    html_url: `${urls.html(repository)}/commit/${commit.sha}`,
    author: renderSignature(commit.author),
    committer: renderSignature(commit.committer),
    tree: { sha: commit.tree, url: `${url}/git/trees/${commit.tree}` },
    message: commit.message.trimEnd(),
    parents: commit.parents.map((sha) => ({
      sha,
      url: `${url}/git/commits/${sha}`,
      html_url: `${urls.html(repository)}/commit/${sha}`,
    })),
    verification: UNSIGNED,
  };
}

export function renderCommit(
  world: World,
  urls: Urls,
  repository: Repository,
  commit: Commit,
): Schema<"commit"> {
  const url = urls.repository(repository);
  return {
    sha: commit.sha,
    node_id: nodeId("Commit", commit.sha),
    url: `${url}/commits/${commit.sha}`,
    html_url: `${urls.html(repository)}/commit/${commit.sha}`,
    comments_url: `${url}/commits/${commit.sha}/comments`,
    commit: {
      author: renderSignature(commit.author),
      committer: renderSignature(commit.committer),
      message: commit.message.trimEnd(),
      tree: { sha: commit.tree, url: `${url}/git/trees/${commit.tree}` },
      url: `${url}/git/commits/${commit.sha}`,
      comment_count: 0,
      verification: UNSIGNED,
    },
    author: signer(world, urls, commit.author),
    committer: signer(world, urls, commit.committer),
    parents: commit.parents.map((sha) => ({
      sha,
      url: `${url}/commits/${sha}`,
      html_url: `${urls.html(repository)}/commit/${sha}`,
    })),
  };
}

export function renderFileChange(
  urls: Urls,
  repository: Repository,
  commit: string,
  change: FileChange,
): Schema<"diff-entry"> {
  const path = change.path.split("/").map(encodeURIComponent).join("/");
  return {
    sha: change.blob,
    filename: change.path,
    status: change.status,
    additions: change.additions,
    deletions: change.deletions,
    changes: change.additions + change.deletions,
    blob_url: `${urls.html(repository)}/blob/${commit}/${path}`,
    raw_url: `${urls.html(repository)}/raw/${commit}/${path}`,
    contents_url: `${urls.repository(repository)}/contents/${path}?ref=${commit}`,
    ...(change.patch === null ? {} : { patch: change.patch }),
    ...(change.previousPath === null ? {} : { previous_filename: change.previousPath }),
  };
}
