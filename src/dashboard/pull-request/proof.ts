import { html } from "ghtml";
import type { Entry } from "../../engine/model/entry.ts";
import { testedSha } from "../../engine/model/test-run.ts";
import { renderProof } from "../../engine/reasons/render-reason.ts";
import type { EntryStory } from "../../service/queues/entry-stories.ts";
import { linksTo, linkToCommit, linkToTree } from "./parts.ts";

/** Renders the proof that what merged is what passed; empty if the queue did not merge it. */
export function renderMergeProof(story: EntryStory): string {
  const { entry } = story.view;
  const { reason } = entry;
  if (reason.code === "TREE_MISMATCH")
    return section("problem", "The tree on the branch is not the tree that was tested.", [
      ["Tested", html`the tree <code>${reason.expectedTree.slice(0, 7)}</code>`],
      ["Merged", commitWithTree(entry, reason.sha, reason.actualTree)],
    ]);
  if (reason.code === "DIRECT_MERGED")
    return section("proof", `It is ${renderProof(reason.proof)}.`, [
      ["Head", commitWithTree(entry, entry.headSha, null)],
      ["Merged", commitWithTree(entry, reason.sha, null)],
    ]);
  if (reason.code !== "MERGED_IN_ORDER") return "";
  const run = story.provedBy?.run;
  const step = run?.commits.find(({ pr }) => pr === entry.pr);
  const tested = run && testedSha(run);
  const isEqual = reason.proof === "exact" || reason.proof === "same_tree";
  const tree = isEqual && step ? step.treeSha : null;
  const others = run?.members.filter((pr) => pr !== entry.pr) ?? [];
  return section("proof", `It is ${renderProof(reason.proof)}.`, [
    ...(tested ? [["Tested", commitWithTree(entry, tested, tree)] as const] : []),
    ...(others.length > 0 ? [["Tested with", linksTo(others)] as const] : []),
    ["Merged", commitWithTree(entry, reason.sha, tree)],
  ]);
}

/** A commit, and the files at it under the name of its tree; null = the tree is not known. */
function commitWithTree(entry: Entry, sha: string, tree: string | null): string {
  const commit = `commit ${linkToCommit(entry, sha)}`;
  return tree === null ? commit : `${commit} with the tree ${linkToTree(entry, sha, tree)}`;
}

function section(mark: string, verdict: string, facts: readonly (readonly [string, string])[]): string {
  const list = facts.map(([name, content]) => html`<div><dt>${name}</dt><dd>!${content}</dd></div>`);
  return html`<section><h2>Proof</h2><p class="${mark}">${verdict}</p><dl class="facts-list">!${list}</dl></section>`;
}
