import { accountOf, canSee, writerOf } from "../../auth/authorize.ts";
import type { OperationId } from "../../schema/operations.ts";
import { hasRole } from "../../world/account.ts";
import { scheduleMergeability } from "../../world/pulls/mergeability.ts";
import { closePull, editPull, openPull, reopenPull, setDraft } from "../../world/pulls/pull-lifecycle.ts";
import { comesFrom, isFromFork, isOpen, type PullRequest } from "../../world/pulls/pull-request.ts";
import { stackOf } from "../../world/pulls/stack.ts";
import type { Repository } from "../../world/repository.ts";
import { answerPage, pullOrRefuse } from "../lookups.ts";
import type { Call, Handlers } from "../operation.ts";

import { Refusal, validationFailed } from "../refusal.ts";
import { renderPull, renderSimplePull } from "../render/pull-request.ts";

const MAX_BODY_LENGTH = 65_536;

function checkBody(body: string | null | undefined): void {
  if ((body?.length ?? 0) <= MAX_BODY_LENGTH) return;
  const message = `body is too long (maximum is ${MAX_BODY_LENGTH} characters)`;
  throw validationFailed({ resource: "Issue", field: "body", code: "custom", message });
}

/**
 * Returns the tip of a branch as callers name it: bare, or after its owner and a colon. For the head, the owner may be that of a
 * fork that the caller can see.
 */
function branchTip(
  { world, caller, repository }: Call<"pulls/create" | "pulls/update">,
  name: string,
  field: "head" | "base",
): { ref: string; sha: string; repository: Repository } {
  const [, owner = repository.owner.login, ref = name] = /^([^:]+):(.+)$/.exec(name) ?? [];
  const holder = [repository, ...(field === "head" ? world.forksOf(repository) : [])].find(
    (one) => one.owner.login.toLowerCase() === owner.toLowerCase() && canSee(world, caller, one),
  );
  const sha = holder?.branch(ref) ?? null;
  if (holder === undefined || sha === null)
    throw validationFailed({ resource: "PullRequest", field, code: "invalid" });
  return { ref, sha, repository: holder };
}

function isListed(call: Call<"pulls/list">, pull: PullRequest): boolean {
  const { state = "open", head, base } = call.query;
  return (
    (state === "all" || pull.state === state) &&
    (head === undefined || head === `${pull.head.repository.owner.login}:${pull.head.ref}`) &&
    (base === undefined || base === pull.base.ref)
  );
}

const sortKeys = {
  created: (pull: PullRequest) => pull.number,
  updated: (pull: PullRequest) => pull.updatedAt.getTime(),
  popularity: (pull: PullRequest) => pull.comments.length,
  "long-running": (pull: PullRequest) => pull.number,
};

/** @throws a refusal when a closed pull request cannot be reopened */
async function refuseReopening(pull: PullRequest): Promise<void> {
  const tip = pull.head.repository.branch(pull.head.ref);
  const refuse = (message: string) =>
    validationFailed({ resource: "PullRequest", field: "state", code: "invalid", message });
  if (pull.merged !== null) throw refuse("state cannot be changed. The pull request is merged.");
  if (tip === null) throw refuse(`state cannot be changed. The ${pull.head.ref} branch has been deleted.`);
  if (isFromFork(pull)) await pull.repository.git.copyFrom(pull.head.repository.git, tip);
  if (!(await pull.repository.git.graph.contains(tip, pull.head.sha))) {
    throw refuse(`state cannot be changed. The ${pull.head.ref} branch was force-pushed or recreated.`);
  }
  pull.head = { ...pull.head, sha: tip };
}

/** Authors may edit their own pull requests. Other callers need the triage role. */
function checkMayEdit<Id extends OperationId>(
  { world, caller, repository }: Call<Id>,
  pull: PullRequest,
): void {
  const { account, role } = writerOf(world, caller, repository);
  if (account !== pull.author && !hasRole(role, "triage"))
    throw new Refusal(403, "Must have push access to repository");
}

async function createPull(call: Call<"pulls/create">): Promise<PullRequest> {
  const { world, caller, body, repository } = call;
  if (body.title === undefined) {
    throw validationFailed({ resource: "PullRequest", field: "title", code: "missing_field" });
  }
  checkBody(body.body);
  if (body.draft && repository.plan === "free") {
    const message = "Draft pull requests are not supported in this repository.";
    throw validationFailed({ resource: "PullRequest", code: "custom", message });
  }
  const { ref, sha } = branchTip(call, body.base, "base");
  const base = { ref, sha };
  const head = branchTip(call, body.head, "head");
  const [existing] = repository.openPulls(
    (pull) => comesFrom(pull, head.repository, head.ref) && pull.base.ref === base.ref,
  );
  if (existing !== undefined) {
    const message = `A pull request already exists for ${head.repository.owner.login}:${head.ref}.`;
    throw validationFailed({ resource: "PullRequest", code: "custom", message });
  }
  if (head.repository !== repository) await repository.git.copyFrom(head.repository.git, head.sha);
  if (await repository.git.graph.contains(base.sha, head.sha)) {
    const message = `No commits between ${base.ref} and ${head.ref}`;
    throw validationFailed({ resource: "PullRequest", code: "custom", message });
  }
  return openPull(world, repository, {
    author: accountOf(caller),
    title: body.title,
    body: body.body ?? null,
    draft: body.draft ?? false,
    head,
    base,
  });
}

async function updatePull(call: Call<"pulls/update">): Promise<PullRequest> {
  const { world, caller, repository } = call;
  const pull = pullOrRefuse(repository, call.path.pull_number);
  checkMayEdit(call, pull);
  // GitHub changes `draft` only through GraphQL; see the fidelity ledger.
  const body: typeof call.body & { draft?: unknown } = call.body;
  checkBody(body.body);
  const sender = accountOf(caller);
  const base = body.base === undefined ? undefined : branchTip(call, body.base, "base");
  if (base !== undefined && base.ref !== pull.base.ref && stackOf(pull) !== null) {
    const message = "Cannot change the base branch because the pull request is part of a stack.";
    throw validationFailed({ resource: "PullRequest", field: "base", code: "custom", message });
  }
  if (body.state === "open" && !isOpen(pull)) {
    await refuseReopening(pull);
    await reopenPull(world, pull, sender);
  }
  await editPull(world, pull, sender, {
    ...(body.title === undefined ? {} : { title: body.title }),
    ...(body.body === undefined ? {} : { body: body.body }),
    ...(base === undefined ? {} : { base: { ref: base.ref, sha: base.sha } }),
  });
  if (typeof body.draft === "boolean") await setDraft(world, pull, sender, body.draft);
  if (body.state === "closed") await closePull(world, pull, sender);
  return pull;
}

const renderFor = <Id extends OperationId>(
  { world, urls, caller, repository }: Call<Id>,
  pull: PullRequest,
) => renderPull(world, urls, pull, writerOf(world, caller, repository));

// Creating and updating lock the repository. Without the lock they would miss a push between reading a branch and acting on it.
export const pullOperations = {
  "pulls/create": async (call) => {
    const { urls, repository } = call;
    const pull = await repository.changing.exclusive(() => createPull(call));
    return {
      status: 201,
      body: await renderFor(call, pull),
      headers: { location: urls.pull(pull) },
    };
  },

  "pulls/get": async (call) => {
    const pull = pullOrRefuse(call.repository, call.path.pull_number);
    const body = await renderFor(call, pull);
    // After the base has moved, a request makes GitHub compute the mergeability.
    if (isOpen(pull) && pull.mergeability.state === "unknown") scheduleMergeability(call.world, pull);
    return { status: 200, body };
  },

  "pulls/list": (call) => {
    const { world, urls, query, repository } = call;
    const sort = query.sort ?? "created";
    const direction = query.direction ?? (query.sort === undefined || sort === "created" ? "desc" : "asc");
    const sign = direction === "asc" ? 1 : -1;
    const listed = [...repository.pulls.values()]
      .filter((pull) => isListed(call, pull))
      .sort((a, b) => sign * (sortKeys[sort](a) - sortKeys[sort](b) || a.number - b.number));
    return answerPage(call, listed, (pull) => renderSimplePull(world, urls, pull));
  },

  "pulls/update": async (call) => {
    const pull = await call.repository.changing.exclusive(() => updatePull(call));
    return { status: 200, body: await renderFor(call, pull) };
  },
} satisfies Handlers;
