import { isTree, type TreeEntry } from "../../git/git-object.ts";
import { entryAt } from "../../git/tree-files.ts";
import type { Repository } from "../../world/repository.ts";
import { resolveCommit } from "../lookups.ts";
import type { Handlers } from "../operation.ts";
import { notFound } from "../refusal.ts";
import type { Urls } from "../urls.ts";

/**
 * Maximum file size in bytes for which GitHub returns the content.
 * https://docs.github.com/en/rest/repos/contents#get-repository-content
 */
const MAX_TOLD = 1_048_576;

function renderEntry(urls: Urls, repository: Repository, path: string, ref: string, entry: TreeEntry) {
  const encoded = path.split("/").map(encodeURIComponent).join("/");
  const url = `${urls.repository(repository)}/contents/${encoded}?ref=${ref}`;
  const isDirectory = isTree(entry);
  const gitUrl = `${urls.repository(repository)}/git/${isDirectory ? "trees" : "blobs"}/${entry.sha}`;
  const html = `${urls.html(repository)}/${isDirectory ? "tree" : "blob"}/${ref}/${encoded}`;
  return {
    name: path.split("/").at(-1) ?? "",
    path,
    sha: entry.sha,
    url,
    html_url: html,
    git_url: gitUrl,
    download_url: isDirectory ? null : `${urls.html(repository)}/raw/${ref}/${encoded}`,
    _links: { self: url, git: gitUrl, html },
  };
}

export const contentOperations = {
  "repos/get-content": async ({ urls, path, query, accept, repository }) => {
    const { git } = repository;
    const ref = query.ref ?? repository.defaultBranch;
    const commit = await resolveCommit(repository, ref);
    if (commit === null) throw notFound(`No commit found for the ref ${ref}`);
    const filePath = path.path.replace(/^\/+|\/+$/g, "");
    const entry = await entryAt(git, commit.tree, filePath);
    if (entry === null) throw notFound();
    if (isTree(entry)) {
      const entries = (await git.readTree(entry.sha)) ?? [];
      const body = await Promise.all(
        entries.map(async (child) => ({
          ...renderEntry(
            urls,
            repository,
            filePath === "" ? child.name : `${filePath}/${child.name}`,
            ref,
            child,
          ),
          type: isTree(child) ? ("dir" as const) : ("file" as const),
          size: isTree(child) ? 0 : ((await git.readObject(child.sha))?.content.length ?? 0),
        })),
      );
      return { status: 200, body };
    }
    const content = (await git.readObject(entry.sha))?.content ?? Buffer.alloc(0);
    if (/\braw\b/.test(accept)) {
      return { status: 200, raw: content, mediaType: "application/vnd.github.raw; charset=utf-8" };
    }
    return {
      status: 200,
      body: {
        ...renderEntry(urls, repository, filePath, ref, entry),
        type: "file" as const,
        size: content.length,
        ...(content.length > MAX_TOLD
          ? { encoding: "none", content: "" }
          : { encoding: "base64", content: content.toString("base64").replace(/.{60}/g, "$&\n") }),
      },
    };
  },
} satisfies Handlers;
