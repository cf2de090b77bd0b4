import type { Octokit } from "@octokit/rest";
import type { InstalledRepository } from "../../../../src/ports/code-host/code-host.ts";
import {
  type FieldErrors,
  OctokitCalls,
  type OctokitCallsParts,
  partialAnswer,
  refusalBy,
} from "../octokit/octokit-calls.ts";
import { VirtualFailure } from "../virtual-calls.ts";
import { type ContentParts, nodeIdOf, write } from "./content-mutations.ts";

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

  /** As its users know it. */
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
    const { data, errors } = await this.#calls.change(names.join(" and "), () => {
      const written: Record<string, object | null> = {};
      const failed: FieldErrors[number][] = [];
      for (const [, key = "", name = "", input = ""] of mutations.slice(0, done)) {
        written[key] = write(this.#parts, name, variables[input]);
        if (written[key] === null) failed.push({ type: "NOT_FOUND", message: "no such node", path: [key] });
      }
      if (done < mutations.length) throw new VirtualFailure("unavailable", "the request was aborted");
      return { data: written, errors: failed };
    });
    if (errors.length > 0) throw partialAnswer(data, errors);
    return data;
  }
}
