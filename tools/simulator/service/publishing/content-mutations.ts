import type { CheckRunContent } from "../../../../src/ports/code-host/checks.ts";
import type { Reaction } from "../../../../src/ports/code-host/pull-requests.ts";
import type { VirtualComments } from "../virtual-pull-requests.ts";
import type { VirtualPublications } from "./virtual-publications.ts";

export interface ContentParts {
  readonly shown: VirtualPublications;
  readonly comments: VirtualComments;
}

type Kind = "repository" | "pull_request" | "comment" | "check_run";

/** The global id of something that the code host has numbered. */
export function nodeIdOf(kind: Kind, id: number): string {
  return `${kind}:${id}`;
}

/** Returns null when the id is of something else. */
function idOf(kind: Kind, nodeId: unknown): number | null {
  const [named, id] = String(nodeId).split(":");
  return named === kind ? Number(id) : null;
}

/** See `inputOf` in `src/github/checks/check-run.ts`. */
interface CheckRunInput {
  readonly name: string;
  readonly externalId: string;
  readonly detailsUrl?: string;
  readonly status: string;
  readonly conclusion?: string;
  readonly output: { readonly title: string; readonly summary: string };
}

const reactions: Readonly<Record<string, Reaction>> = { THUMBS_UP: "thumbs_up", CONFUSED: "confused" };

/** Carries out a mutation, and returns its answer; null = what its input names does not exist. */
export function write({ shown, comments }: ContentParts, name: string, input: unknown): object | null {
  const given = input as Record<string, unknown>;
  switch (name) {
    case "addComment": {
      const pr = idOf("pull_request", given.subjectId);
      if (pr === null) return null;
      return { commentEdge: { node: { id: nodeIdOf("comment", shown.addComment(pr, String(given.body))) } } };
    }
    case "updateIssueComment": {
      const id = idOf("comment", given.id);
      const isDone = id !== null && shown.editComment(id, String(given.body));
      return isDone ? { issueComment: { id: given.id } } : null;
    }
    case "minimizeComment": {
      const id = idOf("comment", given.subjectId);
      return id !== null && shown.minimizeComment(id) ? { clientMutationId: null } : null;
    }
    case "createCheckRun": {
      if (idOf("repository", given.repositoryId) === null) return null;
      const content = { ...contentOf(given as never), headSha: String(given.headSha) };
      return { checkRun: { id: nodeIdOf("check_run", shown.addCheckRun(content)) } };
    }
    case "updateCheckRun": {
      const id = idOf("check_run", given.checkRunId);
      const isDone = id !== null && shown.editCheckRun(id, contentOf(given as never));
      return isDone ? { checkRun: { id: given.checkRunId } } : null;
    }
    case "addReaction": {
      const reaction = reactions[String(given.content)];
      if (reaction === undefined)
        throw new Error(`the simulation does not know the reaction ${given.content}`);
      comments.react(String(given.subjectId), reaction);
      return { clientMutationId: null };
    }
    default:
      throw new Error(`the simulation does not know the mutation ${name}`);
  }
}

function contentOf(input: CheckRunInput): Omit<CheckRunContent, "headSha"> {
  const { name, externalId, detailsUrl = null, status, conclusion, output } = input;
  return {
    ...{ name, externalId, detailsUrl, ...output },
    status: status.toLowerCase() as CheckRunContent["status"],
    conclusion: (conclusion?.toLowerCase() as CheckRunContent["conclusion"]) ?? null,
  };
}
