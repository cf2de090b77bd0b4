import type { Octokit } from "@octokit/rest";
import { kindOf } from "../../../../src/github/client/code-host-error.ts";
import type { CheckRunContent } from "../../../../src/ports/code-host/checks.ts";
import type { InstalledRepository } from "../../../../src/ports/code-host/code-host.ts";
import type { Reaction } from "../../../../src/ports/code-host/pull-requests.ts";
import {
  type FieldErrors,
  OctokitCalls,
  type OctokitCallsParts,
  partialAnswer,
  refusalBy,
} from "../octokit/octokit-calls.ts";
import { VirtualFailure } from "../virtual-calls.ts";
import type { VirtualComments } from "../virtual-pull-requests.ts";
import type { VirtualPublications } from "./virtual-publications.ts";

export interface PublishingParts extends OctokitCallsParts, ContentParts {
  readonly now: () => number;
  /** Draws whether GitHub aborts a request, and after how many of its mutations. */
  readonly drawPart: () => number;
}

/** The part of Octokit by which the service writes comments, checks and reactions through an installation. */
export class PublishingOctokit {
  readonly #parts: PublishingParts;
  readonly #calls: OctokitCalls;

  constructor(parts: PublishingParts, installationId: InstalledRepository["installationId"]) {
    this.#parts = parts;
    this.#calls = new OctokitCalls(parts, { installationId });
  }

  /** The client, with the type that its users expect. */
  get client(): Octokit {
    return this as unknown as Octokit;
  }

  readonly rest = {
    issues: {
      listComments: ({ issue_number: pr }: { issue_number: number }) =>
        this.#list("listComments", (until) =>
          this.#parts.shown.listComments(pr, until).map(({ id, body }) => ({
            ...{ id, node_id: nodeIdOf("comment", id), body, user: { type: "Bot" } },
          })),
        ),
      deleteComment: ({ comment_id: id }: { comment_id: number }) =>
        this.#calls.change("deleteComment", () => {
          if (!this.#parts.shown.deleteComment(id)) throw refusalBy(404, { message: "Not Found" });
        }),
    },
    checks: {
      listForRef: async ({ ref, check_name: name }: { ref: string; check_name: string }) => {
        const runs = await this.#list("listCheckRuns", (until) =>
          this.#parts.shown.listCheckRuns(ref, until),
        );
        const check_runs = runs
          .filter(({ content }) => content.name === name)
          .map(({ id, content }) => ({
            ...{ id, node_id: nodeIdOf("check_run", id), external_id: content.externalId },
          }));
        return { data: { check_runs } };
      },
    },
  };

  paginate<Query, Item>(list: (query: Query) => Promise<Item[]>, query: Query): Promise<Item[]> {
    return list(query);
  }

  async graphql(query: string, variables: Record<string, unknown>): Promise<object> {
    if (query.startsWith("mutation")) return this.#write(query, variables);
    if (query.includes("pullRequest(number: $number)"))
      return this.#calls.read("readPullRequestId", () => ({
        repository: { pullRequest: { id: nodeIdOf("pull_request", Number(variables.number)) } },
      }));
    if (/repository\([^)]*\) \{ id \}/.test(query))
      return this.#calls.read("readRepositoryId", () => ({ repository: { id: nodeIdOf("repository", 1) } }));
    throw new Error(`the simulation does not know the query ${query}`);
  }

  #list<T>(name: string, list: (until: number) => T): Promise<T> {
    const lagMs = this.#parts.calls.drawListLag();
    return this.#calls.read(name, () => list(this.#parts.now() - lagMs));
  }

  /** GitHub runs the mutations of a request one after the other, and may abort it after some of them. */
  async #write(query: string, variables: Record<string, unknown>): Promise<object> {
    const mutations = [...query.matchAll(/(m\d+): (\w+)\(input: \$(\w+)\)/g)];
    const names = [...new Set(mutations.map(([, , name]) => name))].sort();
    const { calls, drawPart } = this.#parts;
    const [hits, share] = [drawPart(), drawPart()];
    const done = hits < calls.faults / 2 ? Math.floor(share * mutations.length) : mutations.length;
    const writing = this.#calls.change(names.join(" and "), () => {
      const written: Record<string, object | null> = {};
      const failed: FieldErrors[number][] = [];
      for (const [, key = "", name = "", input = ""] of mutations.slice(0, done)) {
        written[key] = write(this.#parts, name, variables[input]);
        if (written[key] === null) failed.push({ type: "NOT_FOUND", message: "no such node", path: [key] });
      }
      if (done < mutations.length) throw new VirtualFailure("unavailable", "the request was aborted");
      return { data: written, errors: failed };
    });
    const { data, errors } = await writing.catch((error: unknown) => {
      // A comment that may not be hidden is left unchanged, and the one after it counts.
      if (kindOf(error) === "denied")
        for (const [, , name = "", input = ""] of mutations)
          if (name === "minimizeComment") write(this.#parts, name, variables[input]);
      throw error;
    });
    if (errors.length > 0) throw partialAnswer(data, errors);
    return data;
  }
}

export interface ContentParts {
  readonly shown: VirtualPublications;
  readonly comments: VirtualComments;
}

type Kind = "repository" | "pull_request" | "comment" | "check_run";

/** The global id of a numbered object. */
export function nodeIdOf(kind: Kind, id: number): string {
  return `${kind}:${id}`;
}

/** Returns null when the id is of another kind. */
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

/** Carries out a mutation, and returns its answer; null = the named object does not exist. */
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
