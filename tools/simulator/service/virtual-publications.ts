import type { CheckRunContent } from "../../../src/ports/code-host/code-host.ts";

/** What the service shows at the code host. */
export class VirtualPublications {
  /** By pull request, and by id. */
  readonly comments = new Map<number, Map<string, string>>();
  /** By head, and by id. */
  readonly checkRuns = new Map<string, Map<string, CheckRunContent>>();
  /** What comments have said that cannot be true. */
  readonly untrue = new Set<string>();
  #ids = 0;

  putCheckRun(id: string | null, content: CheckRunContent, mayExist: boolean): string {
    const known = this.checkRuns.get(content.headSha) ?? new Map<string, CheckRunContent>();
    this.checkRuns.set(content.headSha, known);
    const own = this.#idIn(known, id, mayExist);
    known.set(own, content);
    return own;
  }

  putComment(pr: number, id: string | null, body: string, mayExist: boolean): string {
    const known = this.comments.get(pr) ?? new Map<string, string>();
    this.comments.set(pr, known);
    const own = this.#idIn(known, id, mayExist);
    if (body.includes("PR_NOT_FOUND")) this.untrue.add(`a comment on #${pr} says that #${pr} does not exist`);
    if (mayExist) known.clear();
    known.set(own, body);
    return own;
  }

  #idIn(known: ReadonlyMap<string, unknown>, id: string | null, mayExist: boolean): string {
    const found = id ?? (mayExist ? [...known.keys()].at(-1) : undefined);
    if (found !== undefined) return found;
    this.#ids += 1;
    return String(this.#ids);
  }
}
