import { writerOf } from "../../auth/caller.ts";
import { isSha } from "../../git/git-object.ts";
import { isValidRef } from "../../git/ref-store.ts";
import type { OperationId } from "../../schema/operations.ts";
import { shuffle } from "../../seeded-draw.ts";
import { refusalMessage } from "../../world/ref-refusal.ts";
import type { Repository } from "../../world/repository.ts";
import { type RefWriteResult, writeRef } from "../../world/write-ref.ts";
import type { Call, Handlers } from "../operation.ts";
import { notFound, Refusal } from "../refusal.ts";
import { nodeId, type Urls } from "../urls.ts";

type RefOperation =
  | "git/get-ref"
  | "git/list-matching-refs"
  | "git/create-ref"
  | "git/update-ref"
  | "git/delete-ref";

async function renderRef(urls: Urls, repository: Repository, ref: string, sha: string) {
  const type = (await repository.git.readObject(sha))?.type ?? "commit";
  const url = urls.repository(repository);
  const path = encodeURI(ref.replace(/^refs\//, ""));
  return {
    ref,
    node_id: nodeId("Ref", ref),
    url: `${url}/git/refs/${path}`,
    object: { sha, type, url: `${url}/git/${type}s/${sha}` },
  };
}

/** Pull request refs belong to GitHub. */
function writableRef(ref: string): string {
  if (!isValidRef(ref)) throw new Refusal(422, "Reference name is invalid");
  if (ref.startsWith("refs/pull/")) throw new Refusal(422, "Reference update failed");
  return ref;
}

/** @param refused the message to use where GitHub does not name what branch protection forbids; by default it names it */
function throwUnlessWritten(result: RefWriteResult, refused?: string): void {
  switch (result.outcome) {
    case "written":
      return;
    case "stale":
      throw new Refusal(409, "Reference has changed meanwhile. Please retry.");
    case "refused":
      throw new Refusal(
        422,
        result.refusal.by === "protection" && refused !== undefined
          ? refused
          : refusalMessage(result.refusal),
      );
    case "obstructed":
      throw new Refusal(422, "Reference update failed");
  }
}

async function commitBehindBranch(
  call: Call<"git/create-ref" | "git/update-ref">,
  ref: string,
): Promise<string> {
  const { sha } = call.body;
  const object = isSha(sha) ? await call.repository.git.readObject(sha) : null;
  if (object === null) throw new Refusal(422, "Object does not exist");
  if (ref.startsWith("refs/heads/") && object.type !== "commit")
    throw new Refusal(422, "Object is not a commit");
  return sha;
}

const currentRef = (repository: Repository, ref: string): string => {
  const before = repository.git.refs.get(ref);
  if (before === null) throw new Refusal(422, "Reference does not exist");
  return before;
};

const writerOfCall = <Id extends OperationId>({ world, caller, repository }: Call<Id>) =>
  writerOf(world, caller, repository);

export const refOperations: Handlers<RefOperation> = {
  "git/get-ref": async ({ urls, path, repository }) => {
    const ref = `refs/${path.ref}`;
    const sha = repository.git.refs.get(ref);
    if (sha === null) throw notFound();
    return { status: 200, body: await renderRef(urls, repository, ref, sha) };
  },

  "git/list-matching-refs": async ({ world, urls, path, repository }) => {
    const matching = shuffle(world.seed, repository.git.refs.list(`refs/${path.ref}`), ([ref]) => ref);
    const body = await Promise.all(matching.map(([ref, sha]) => renderRef(urls, repository, ref, sha)));
    return { status: 200, body };
  },

  "git/create-ref": async (call) => {
    const { world, urls, body, repository } = call;
    const ref = writableRef(body.ref);
    const after = await commitBehindBranch(call, ref);
    if (repository.git.refs.get(ref) !== null) throw new Refusal(422, "Reference already exists");
    const write = { ref, before: null, after, writer: writerOfCall(call) };
    throwUnlessWritten(await writeRef(world, repository, write), "Reference update failed");
    return { status: 201, body: await renderRef(urls, repository, ref, after) };
  },

  "git/update-ref": async (call) => {
    const { world, urls, body, path, repository } = call;
    const ref = writableRef(`refs/${path.ref}`);
    const before = currentRef(repository, ref);
    const after = await commitBehindBranch(call, ref);
    if (body.force !== true && !(await repository.git.graph.contains(after, before))) {
      throw new Refusal(422, "Update is not a fast forward");
    }
    throwUnlessWritten(await writeRef(world, repository, { ref, before, after, writer: writerOfCall(call) }));
    return { status: 200, body: await renderRef(urls, repository, ref, after) };
  },

  "git/delete-ref": async (call) => {
    const { world, path, repository } = call;
    const ref = writableRef(`refs/${path.ref}`);
    const before = currentRef(repository, ref);
    throwUnlessWritten(
      await writeRef(world, repository, { ref, before, after: null, writer: writerOfCall(call) }),
    );
    return { status: 204, body: undefined };
  },
};
