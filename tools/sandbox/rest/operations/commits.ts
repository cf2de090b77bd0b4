import { diff } from "../../git/diff.ts";
import { EMPTY_TREE, isSha } from "../../git/git-object.ts";
import { listCommits } from "../../git/git-repository.ts";
import { shuffle } from "../../seeded-draw.ts";
import { commitOrRefuse, paginate, resolveCommit } from "../lookups.ts";
import type { Handlers } from "../operation.ts";

import { notFound } from "../refusal.ts";
import { renderCommit, renderFileChange } from "../render/commit.ts";
import { renderSimplePull } from "../render/pull-request.ts";

/** GitHub's maximum numbers of commits and files in a comparison. */
const MAX_COMMITS = 250;
const MAX_FILES = 300;

export const commitOperations = {
  "repos/get-commit": async ({ world, urls, path, repository }) => {
    const commit = await commitOrRefuse(repository, path.ref);
    const before = commit.parents[0] ?? EMPTY_TREE;
    const files = await diff(repository.git.directory, before, commit.sha, { patches: true });
    const additions = files.reduce((sum, file) => sum + file.additions, 0);
    const deletions = files.reduce((sum, file) => sum + file.deletions, 0);
    return {
      status: 200,
      body: {
        ...renderCommit(world, urls, repository, commit),
        stats: { additions, deletions, total: additions + deletions },
        files: files.map((file) => renderFileChange(urls, repository, commit.sha, file)),
      },
    };
  },

  "repos/list-commits": async (call) => {
    const { world, urls, query, repository } = call;
    const tip = await commitOrRefuse(repository, query.sha ?? repository.defaultBranch);
    const commits = [];
    for (const sha of await listCommits(repository.git.directory, tip.sha, query.path))
      commits.push(await commitOrRefuse(repository, sha));
    const { page, headers } = paginate(call, commits);
    return {
      status: 200,
      body: page.map((commit) => renderCommit(world, urls, repository, commit)),
      headers,
    };
  },

  "repos/compare-commits-with-basehead": async (call) => {
    const { world, urls, path, repository } = call;
    const [baseName = "", headName = ""] = path.basehead
      .split("...")
      .map((side) => side.replace(/^[^:]*:/, ""));
    const base = await resolveCommit(repository, baseName);
    const head = await resolveCommit(repository, headName);
    if (base === null || head === null) throw notFound();
    const { mergeBase, onlyLeft, onlyRight } = await repository.git.graph.divergence(base.sha, head.sha);
    if (mergeBase === null) throw notFound(`No common ancestor between ${baseName} and ${headName}.`);
    const files = await diff(repository.git.directory, mergeBase.sha, head.sha, { patches: true });
    const { page, headers } =
      call.query.page === undefined && call.query.per_page === undefined
        ? { page: onlyRight.slice(0, MAX_COMMITS).reverse(), headers: {} }
        : paginate(call, [...onlyRight].reverse());
    const ahead = onlyRight.length > 0;
    const behind = onlyLeft.length > 0;
    const html = `${urls.html(repository)}/compare/${path.basehead}`;
    return {
      status: 200,
      headers,
      body: {
        url: `${urls.repository(repository)}/compare/${path.basehead}`,
        html_url: html,
        permalink_url: `${urls.html(repository)}/compare/${base.sha}...${head.sha}`,
        diff_url: `${html}.diff`,
        patch_url: `${html}.patch`,
        base_commit: renderCommit(world, urls, repository, base),
        merge_base_commit: renderCommit(world, urls, repository, mergeBase),
        status: ahead && behind ? "diverged" : ahead ? "ahead" : behind ? "behind" : "identical",
        ahead_by: onlyRight.length,
        behind_by: onlyLeft.length,
        total_commits: onlyRight.length,
        commits: page.map((commit) => renderCommit(world, urls, repository, commit)),
        files: files.slice(0, MAX_FILES).map((file) => renderFileChange(urls, repository, head.sha, file)),
      },
    };
  },

  "repos/list-pull-requests-associated-with-commit": async (call) => {
    const { world, urls, path, repository } = call;
    const { git, pulls } = repository;
    if (!isSha(path.commit_sha) || (await git.commit(path.commit_sha)) === null) throw notFound();
    const associated = [];
    for (const pull of pulls.values()) {
      const brings =
        pull.mergeCommitSha === path.commit_sha ||
        ((await git.graph.contains(pull.head.sha, path.commit_sha)) &&
          !(await git.graph.contains(pull.base.sha, path.commit_sha)));
      if (brings) associated.push(pull);
    }
    const { page, headers } = paginate(
      call,
      shuffle(world.seed, associated, ({ number }) => number),
    );
    return { status: 200, body: page.map((pull) => renderSimplePull(world, urls, pull)), headers };
  },
} satisfies Handlers;
