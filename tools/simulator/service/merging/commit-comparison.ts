import { type CodeHost, treeOf } from "../../soak/code-host.ts";
import { commitOf } from "../virtual-heads.ts";

const author = { name: "Alice", email: "alice@example.com", date: "2026-01-05T09:00:00Z" };

/**
 * The comparison of a commit with a head, as REST shows it. A head is one commit.
 *
 * @param basehead the two names, with three dots between them
 */
export function comparisonOf(model: CodeHost, basehead: string): object {
  const [base = "", headSha = ""] = basehead.split("...");
  const head = commitOf(headSha);
  const mergeBase = model.mergeBase(base, head);
  const content = model.contentOf(mergeBase);
  const isContained = model.contentOf(base).includes(head);
  const showing = (sha: string, items: readonly string[], parents: readonly object[] = []) => {
    return { sha, parents, commit: { message: sha, author, tree: { sha: treeOf(items) } } };
  };
  return {
    ahead_by: isContained ? 0 : 1,
    behind_by: model.compare(base, head).behindBy,
    base_commit: showing(base, model.contentOf(base)),
    merge_base_commit: showing(mergeBase, content),
    commits: isContained ? [] : [showing(headSha, [...content, head], [{ sha: mergeBase }])],
  };
}
