import type { Claim } from "../claim.ts";
import { answerOf } from "../observe.ts";

const comments = ["pull_requests: write", "issues: write"] as const;

/** Claims about comments on pull requests, and reactions to them. */
export const commentClaims: readonly Claim[] = [
  {
    id: "comments/edited",
    title: "An edited comment keeps its id and when it was created",
    source: "API",
    needs: comments,
    expected: { body: "After", same: true, created: true, byBot: true },
    observe: async ({ github, at, scratch, app }) => {
      const { number: issue_number } = await scratch.pull();
      const before = await scratch.comment(issue_number, "Before");
      const edit = { ...at, comment_id: before.id, body: "After" };
      const { data: after } = await github.rest.issues.updateComment(edit);
      return {
        body: after.body ?? null,
        same: after.id === before.id,
        created: after.created_at === before.created_at,
        byBot: after.user?.login === `${app.slug}[bot]`,
      };
    },
  },
  {
    id: "comments/deleted",
    title: "A deleted comment is not found, neither to read nor to edit",
    source: "API",
    needs: comments,
    expected: { read: "404 Not Found", edit: "404 Not Found" },
    observe: async ({ github, at, scratch }) => {
      const { number: issue_number } = await scratch.pull();
      const { id: comment_id } = await scratch.comment(issue_number, "Soon gone");
      const comment = { ...at, comment_id };
      await github.rest.issues.deleteComment(comment);
      return {
        read: await answerOf(github.rest.issues.getComment(comment)),
        edit: await answerOf(github.rest.issues.updateComment({ ...comment, body: "Here?" })),
      };
    },
  },
  {
    id: "comments/reaction",
    title: "A reaction that is there is answered 200 and not made again",
    source: "API",
    needs: comments,
    expected: { first: "201", second: "200", reactions: 1 },
    observe: async ({ github, at, scratch }) => {
      const { number: issue_number } = await scratch.pull();
      const { id: comment_id } = await scratch.comment(issue_number, "Hello");
      const comment = { ...at, comment_id };
      const react = () =>
        answerOf(github.rest.reactions.createForIssueComment({ ...comment, content: "eyes" }));
      const [first, second] = [await react(), await react()];
      const { data: reactions } = await github.rest.reactions.listForIssueComment(comment);
      return { first, second, reactions: reactions.length };
    },
  },
];
