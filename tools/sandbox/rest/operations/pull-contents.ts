import { accountOf } from "../../auth/authorize.ts";
import { diff } from "../../git/diff.ts";
import { dismissReview, isOpen, type PullRequest, type Review } from "../../world/pulls/pull-request.ts";
import { changeOf } from "../../world/rules/review-rules.ts";
import { answerPage, paginate, pullOrRefuse } from "../lookups.ts";
import type { Handlers } from "../operation.ts";

import { notFound, Refusal } from "../refusal.ts";
import { renderCommit, renderFileChange } from "../render/commit.ts";
import { renderReview } from "../render/pull-request.ts";

/** GitHub's maximum number of listed commits of a pull request. */
const MAX_COMMITS = 250;

/** GitHub's maximum number of listed files of a pull request. */
const MAX_FILES = 3_000;

const baseOf = (pull: PullRequest): string =>
  isOpen(pull) ? (pull.repository.branch(pull.base.ref) ?? pull.base.sha) : pull.base.sha;

const reviewStates: Record<string, Review["state"]> = {
  APPROVE: "APPROVED",
  REQUEST_CHANGES: "CHANGES_REQUESTED",
  COMMENT: "COMMENTED",
};

export const pullContentOperations = {
  "pulls/list-commits": async (call) => {
    const { world, urls, repository } = call;
    const pull = pullOrRefuse(repository, call.path.pull_number);
    const commits = (await repository.git.graph.range(baseOf(pull), pull.head.sha))
      .reverse()
      .slice(0, MAX_COMMITS);
    const { page, headers } = paginate(call, commits);
    return {
      status: 200,
      body: page.map((commit) => renderCommit(world, urls, repository, commit)),
      headers,
    };
  },

  "pulls/list-files": async (call) => {
    const { urls, repository } = call;
    const pull = pullOrRefuse(repository, call.path.pull_number);
    const { mergeBase } = await repository.git.graph.divergence(baseOf(pull), pull.head.sha);
    const before = mergeBase?.sha ?? baseOf(pull);
    const files = await diff(repository.git.directory, before, pull.head.sha, { patches: true });
    const { page, headers } = paginate(call, files.slice(0, MAX_FILES));
    return {
      status: 200,
      body: page.map((file) => renderFileChange(urls, repository, pull.head.sha, file)),
      headers,
    };
  },

  "pulls/check-if-merged": ({ path, repository }) => {
    if (pullOrRefuse(repository, path.pull_number).merged === null) throw notFound();
    return { status: 204, body: undefined };
  },

  "pulls/list-reviews": (call) => {
    const { world, urls, repository } = call;
    const pull = pullOrRefuse(repository, call.path.pull_number);
    return answerPage(call, pull.reviews, (review) => renderReview(world, urls, pull, review));
  },

  "pulls/create-review": async ({ world, urls, caller, path, body, repository }) => {
    const pull = pullOrRefuse(repository, path.pull_number);
    const state = reviewStates[body.event ?? ""];
    if (state === undefined)
      throw new Refusal(422, "Pending reviews are not simulated: an event must be given.");
    const author = accountOf(caller);
    if (author === pull.author && state !== "COMMENTED") {
      throw new Refusal(422, "Can not approve or request changes on your own pull request");
    }
    const review: Review = {
      id: world.nextId(),
      author,
      state,
      body: body.body ?? "",
      commit: body.commit_id ?? pull.head.sha,
      change: await changeOf(pull),
      at: world.now(),
      reactions: [],
    };
    pull.reviews.push(review);
    for (const { path: file, line = 1, body: text } of body.comments ?? []) {
      pull.threads.push({
        id: world.nextId(),
        pull,
        review,
        path: file,
        line,
        body: text,
        isResolved: false,
      });
    }
    await world.emit({ type: "review", pull, sender: author, review, action: "submitted" });
    return { status: 200, body: renderReview(world, urls, pull, review) };
  },

  "pulls/dismiss-review": async ({ world, urls, caller, path, repository }) => {
    const pull = pullOrRefuse(repository, path.pull_number);
    const review = pull.reviews.find(({ id }) => id === path.review_id);
    if (review === undefined) throw notFound();
    if (review.state !== "APPROVED" && review.state !== "CHANGES_REQUESTED")
      throw new Refusal(
        422,
        "Can not dismiss a review that is neither an approval nor a request for changes.",
      );
    await dismissReview(world, pull, accountOf(caller), review);
    return { status: 200, body: renderReview(world, urls, pull, review) };
  },
} satisfies Handlers;
