import * as z from "zod";
import { isByOther } from "../../engine/model/instance-id.ts";
import type { CommentContent, PostedComment } from "../../ports/code-host/pull-requests.ts";
import { kindOf, statusOf } from "../client/code-host-error.ts";
import type { ContentPlace } from "../client/content-writer.ts";
import { globalIdOf } from "../client/node-ids.ts";

/** The maximum length of a comment on GitHub. */
const maxBody = 65_536;

const nodeShape = z.object({ id: z.string() });
const addedShape = z.object({ commentEdge: z.object({ node: nodeShape }) });
const editedShape = z.object({ issueComment: nodeShape });
const minimizedShape = z.object({ clientMutationId: z.string().nullable() });

interface OwnComment {
  readonly id: number;
  readonly nodeId: string;
  readonly mark: string | null;
}

/** Writes our comment on a pull request. */
export class Commenter {
  readonly #place: ContentPlace;

  constructor(place: ContentPlace) {
    this.#place = place;
  }

  /** See `CodeHost.putComment`. */
  async put(
    pr: number,
    posted: PostedComment | null,
    content: CommentContent,
    mayExist: boolean,
  ): Promise<PostedComment> {
    const found = mayExist ? await this.#find(pr, content.instance) : [];
    const id = posted && (await this.#nodeId(posted.id));
    const mark = content.mark ?? laterMark(found, id) ?? posted?.mark ?? null;
    const body = `${markerOf(mark, content.instance)}\n${content.body}`.slice(0, maxBody);
    const same = found.filter((one) => one.mark === mark);
    const isOther = posted !== null && posted.mark !== mark;
    const known = (isOther ? null : id) ?? same[0]?.nodeId ?? null;
    // An earlier attempt may have died before it recorded which comment it wrote.
    const unnoted = found.findLast((one) => one.mark !== mark)?.nodeId ?? null;
    const before = isOther ? id : posted === null ? unnoted : null;
    for (const other of same) if (other.nodeId !== known) await this.#delete(other);
    const written = await this.#write(pr, known, body, content.instance).catch((error) => {
      // The conversation may be locked. Then the comment before this one can still be edited.
      if (known === null && before !== null && kindOf(error) === "denied") return this.#edit(before, body);
      throw error;
    });
    // If this fails, the next attempt finds the new comment by its mark.
    if (before !== null && before !== written) await this.#minimize(before);
    return { id: written, mark };
  }

  async #write(pr: number, known: string | null, body: string, instance: string): Promise<string> {
    if (known === null) return this.#add(pr, body);
    try {
      return await this.#edit(known, body);
    } catch (error) {
      if (kindOf(error) !== "not_found") throw error;
      // A user has deleted the comment, unless it can still be found. In that case, a new one would be a duplicate.
      if ((await this.#find(pr, instance)).some(({ nodeId }) => nodeId === known)) throw error;
      return this.#add(pr, body);
    }
  }

  async #add(pr: number, body: string): Promise<string> {
    const subjectId = await this.#place.ids.pullRequest(this.#place, pr);
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
      if (kindOf(error) === "not_found") this.#place.ids.forget(this.#place.at, pr);
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

  /** Only tidies up: a comment that cannot be minimised, or is gone, is left as it is. */
  async #minimize(subjectId: string): Promise<void> {
    try {
      await this.#place.writer.write({
        name: "minimizeComment",
        input: { subjectId, classifier: "OUTDATED" },
        selection: "clientMutationId",
        shape: minimizedShape,
        creates: null,
      });
    } catch (error) {
      const kind = kindOf(error);
      if (kind !== "not_found" && kind !== "denied" && kind !== "invalid") throw error;
    }
  }

  async #delete({ id: comment_id }: OwnComment): Promise<void> {
    try {
      await this.#place.octokit.rest.issues.deleteComment({ ...this.#place.at, comment_id });
    } catch (error) {
      if (statusOf(error) !== 404) throw error;
    }
  }

  /**
   * The comments of this service and of the one that it replaces, the oldest first. Comments of other services with this App are left
   * alone.
   */
  async #find(issue_number: number, instance: string): Promise<OwnComment[]> {
    const { rest } = this.#place.octokit;
    const query = { ...this.#place.at, issue_number, per_page: 100 };
    const comments = await this.#place.octokit.paginate(rest.issues.listComments, query);
    return comments.flatMap(({ id, node_id: nodeId, body, user, created_at }) => {
      const isOther = isByOther(instance, instanceIn(body ?? ""), Date.parse(created_at));
      const mark = user?.type === "Bot" && !isOther ? markIn(body ?? "") : undefined;
      return mark === undefined ? [] : [{ id, nodeId, mark }];
    });
  }

  #nodeId(id: string): Promise<string | null> {
    return globalIdOf(id, (comment_id) =>
      this.#place.octokit.rest.issues.getComment({ ...this.#place.at, comment_id }),
    );
  }
}

/** Marks our comment invisibly. */
function markerOf(mark: string | null, instance: string): string {
  return `<!-- trainyard ${mark === null ? "" : `${mark} `}--><!-- by ${instance} -->`;
}

/** The id of the service that wrote a comment; null when the comment names none. */
export function instanceIn(body: string): string | null {
  return /^<!-- trainyard (?:[\w@-]+ )?--><!-- by ([\w-]+) -->/.exec(body)?.[1] ?? null;
}

/** Undefined: not a comment about the queue. */
function markIn(body: string): string | null | undefined {
  const found = /^<!-- trainyard (?:([\w@-]+) )?-->/.exec(body);
  return found ? (found[1] ?? null) : undefined;
}

/** The mark of a comment that an earlier attempt wrote after the known one, about a loss that is over now. */
function laterMark(found: readonly OwnComment[], knownId: string | null): string | null {
  const at = found.findIndex(({ nodeId }) => nodeId === knownId);
  // The listing is outdated if it does not contain the known comment.
  if (knownId !== null && at < 0) return null;
  return found.slice(at + 1).findLast(({ mark }) => mark !== null)?.mark ?? null;
}
