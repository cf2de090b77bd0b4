import * as z from "zod";
import { isNotFound, statusOf } from "../client/code-host-error.ts";
import type { ContentPlace } from "../client/content-place.ts";
import { globalIdOf } from "../client/global-id.ts";

/** Marks our comment invisibly. */
const marker = "<!-- trainyard -->";
/** The maximum length of a comment on GitHub. */
const maxBody = 65_536;

const nodeShape = z.object({ id: z.string() });
const addedShape = z.object({ commentEdge: z.object({ node: nodeShape }) });
const editedShape = z.object({ issueComment: nodeShape });

interface OwnComment {
  readonly id: number;
  readonly nodeId: string;
}

/** Writes our comment on a pull request. */
export class Commenter {
  readonly #place: ContentPlace;

  constructor(place: ContentPlace) {
    this.#place = place;
  }

  /** See `CodeHost.putComment`. */
  async put(pr: number, id: string | null, text: string, mayExist: boolean): Promise<string> {
    const found = mayExist ? await this.#find(pr) : [];
    const known = (id === null ? null : await this.#nodeId(id)) ?? found[0]?.nodeId ?? null;
    const body = `${marker}\n${text}`.slice(0, maxBody);
    if (known !== null) {
      for (const other of found) if (other.nodeId !== known) await this.#delete(other);
      try {
        return await this.#edit(known, body);
      } catch (error) {
        if (!isNotFound(error)) throw error;
        // A user has deleted the comment, unless it can still be found. In that case, a new one would be a duplicate.
        if ((await this.#find(pr)).some(({ nodeId }) => nodeId === known)) throw error;
      }
    }
    return this.#add(pr, body);
  }

  async #add(pr: number, body: string): Promise<string> {
    const subjectId = await this.#place.ids.pullRequest(this.#place.octokit, this.#place.at, pr);
    try {
      const { commentEdge } = await this.#place.writer.write({
        name: "addComment",
        input: { subjectId, body },
        selection: "commentEdge { node { id } }",
        shape: addedShape,
        creates: `comment on ${subjectId}`,
      });
      return commentEdge.node.id;
    } catch (error) {
      if (isNotFound(error)) this.#place.ids.forget(this.#place.at, pr);
      throw error;
    }
  }

  async #edit(id: string, body: string): Promise<string> {
    const { issueComment } = await this.#place.writer.write({
      name: "updateIssueComment",
      input: { id, body },
      selection: "issueComment { id }",
      shape: editedShape,
      creates: null,
    });
    return issueComment.id;
  }

  async #delete({ id: comment_id }: OwnComment): Promise<void> {
    try {
      await this.#place.octokit.rest.issues.deleteComment({ ...this.#place.at, comment_id });
    } catch (error) {
      if (statusOf(error) !== 404) throw error;
    }
  }

  /** Our comments, the oldest first. */
  async #find(issue_number: number): Promise<OwnComment[]> {
    const { rest } = this.#place.octokit;
    const query = { ...this.#place.at, issue_number, per_page: 100 };
    const comments = await this.#place.octokit.paginate(rest.issues.listComments, query);
    const own = comments.filter(({ body, user }) => body?.startsWith(marker) && user?.type === "Bot");
    return own.map(({ id, node_id: nodeId }) => ({ id, nodeId }));
  }

  #nodeId(id: string): Promise<string | null> {
    return globalIdOf(id, (comment_id) =>
      this.#place.octokit.rest.issues.getComment({ ...this.#place.at, comment_id }),
    );
  }
}
