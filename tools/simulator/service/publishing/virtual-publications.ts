import type { CheckRunContent } from "../../../../src/ports/code-host/checks.ts";

interface PostedComment {
  readonly pr: number;
  readonly body: string;
  readonly mark: string | null;
  readonly minimized: boolean;
  /** In milliseconds since the epoch. */
  readonly at: number;
}

interface PostedCheckRun {
  readonly content: CheckRunContent;
  readonly at: number;
}

/** The publications of the service at the code host. Ids are increasing numbers. */
export class VirtualPublications {
  readonly #comments = new Map<number, PostedComment>();
  readonly #checkRuns = new Map<number, PostedCheckRun>();
  /** Statements in comments that cannot be true. */
  readonly untrue = new Set<string>();
  /** The deleted comments, by pull request, until there is another one. */
  readonly #deleted = new Map<number, string>();
  readonly #now: () => number;
  #ids = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The comments on a pull request that are not hidden, oldest first. If there is none, the last one that was deleted by a person. */
  commentsOn(pr: number): readonly string[] {
    const shown = this.listComments(pr, this.#now()).flatMap(({ body, minimized }) =>
      minimized ? [] : [body],
    );
    const deleted = this.#deleted.get(pr);
    return shown.length === 0 && deleted !== undefined ? [deleted] : shown;
  }

  /** The check run of a commit that the code host shows: the latest one. */
  shownCheckRun(headSha: string): CheckRunContent | null {
    return this.listCheckRuns(headSha, this.#now()).at(-1)?.content ?? null;
  }

  /** The comments on a pull request that were posted by a time, oldest first. */
  listComments(pr: number, until: number): readonly (PostedComment & { readonly id: number })[] {
    return [...this.#comments]
      .filter(([, comment]) => comment.pr === pr && comment.at <= until)
      .map(([id, comment]) => ({ id, ...comment }));
  }

  listCheckRuns(
    headSha: string,
    until: number,
  ): readonly { readonly id: number; readonly content: CheckRunContent }[] {
    return [...this.#checkRuns]
      .filter(([, { content, at }]) => content.headSha === headSha && at <= until)
      .map(([id, { content }]) => ({ id, content }));
  }

  addComment(pr: number, body: string, mark = markIn(body)): number {
    this.#judge(pr, body);
    this.#deleted.delete(pr);
    this.#ids += 1;
    this.#comments.set(this.#ids, { pr, body, mark, minimized: false, at: this.#now() });
    return this.#ids;
  }

  /** Returns false when there is no such comment. */
  editComment(id: number, body: string): boolean {
    const known = this.#comments.get(id);
    if (!known) return false;
    this.#judge(known.pr, body);
    this.#comments.set(id, { ...known, body });
    return true;
  }

  /** Returns false when there is no such comment. */
  minimizeComment(id: number): boolean {
    const known = this.#comments.get(id);
    if (known) this.#comments.set(id, { ...known, minimized: true });
    return known !== undefined;
  }

  deleteComment(id: number): boolean {
    return this.#comments.delete(id);
  }

  /** Deletes the comments on a pull request, as a person. */
  deleteByHand(pr: number): void {
    for (const { id, body } of this.listComments(pr, this.#now())) {
      this.#comments.delete(id);
      this.#deleted.set(pr, body);
    }
  }

  addCheckRun(content: CheckRunContent): number {
    this.#ids += 1;
    this.#checkRuns.set(this.#ids, { content, at: this.#now() });
    return this.#ids;
  }

  /** Returns false when there is no such check run. */
  editCheckRun(id: number, content: Omit<CheckRunContent, "headSha">): boolean {
    const known = this.#checkRuns.get(id);
    if (!known) return false;
    this.#checkRuns.set(id, { ...known, content: { ...content, headSha: known.content.headSha } });
    return true;
  }

  #judge(pr: number, body: string): void {
    if (body.includes("PR_NOT_FOUND")) this.untrue.add(`a comment on #${pr} says that #${pr} does not exist`);
  }
}

/** The place that was lost, for which the service's adapter wrote the comment; null = it is the first one. */
function markIn(body: string): string | null {
  return /^<!-- trainyard (\S+) -->/.exec(body)?.[1] ?? null;
}
