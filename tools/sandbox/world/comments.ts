import { type Account, type App, hasRole } from "./account.ts";
import type { Comment, PullRequest, Reaction, Told } from "./pulls/pull-request.ts";
import type { Writer } from "./rules/branch-rules.ts";
import type { World } from "./world.ts";

const maxLength = 65_536;

/** Returns GitHub's message for a text that a comment cannot have; null = the text is valid. */
export function problemOfBody(body: string): string | null {
  if (body.trim() === "") return "body cannot be blank";
  return body.length > maxLength ? `body is too long (maximum is ${maxLength} characters)` : null;
}

/** In a locked conversation, only people with the write role may comment. */
export function mayComment({ locked }: PullRequest, { account, role }: Writer): boolean {
  return !locked || (account.type === "User" && hasRole(role, "write"));
}

/** Authors may change their own comments. Others need the write role. */
export function mayChange(comment: Comment, { account, role }: Writer): boolean {
  return account === comment.author || hasRole(role, "write");
}

export async function createComment(
  world: World,
  pull: PullRequest,
  { author, app, body }: { author: Account; app: App | null; body: string },
): Promise<Comment> {
  const now = world.now();
  const comment: Comment = {
    id: world.nextId(),
    pull,
    author,
    app,
    body,
    reactions: [],
    minimized: null,
    told: toldOf(world, pull, author, body),
    createdAt: now,
    updatedAt: now,
  };
  pull.comments.push(comment);
  pull.updatedAt = now;
  pull.repository.comments.set(comment.id, comment);
  await world.emit({ type: "comment", comment, sender: author, action: "created" });
  return comment;
}

/**
 * Returns the people whom GitHub notifies of a new comment: those that it mentions, and those that take part in the conversation. An edit
 * notifies nobody, even if it adds a mention.
 */
function toldOf(world: World, pull: PullRequest, author: Account, body: string): Told[] {
  const text = body.replaceAll(/<!--[\s\S]*?-->|```[\s\S]*?```|(`+)[^`][\s\S]*?\1/g, " ");
  const mentioned = [...text.matchAll(/(?<![\w/@])@([a-z\d][\w-]*)/gi)].map(([, login = ""]) =>
    world.account(login),
  );
  const before = pull.comments.flatMap((comment) => [
    comment.author,
    ...comment.told.map(({ account }) => account),
  ]);
  const reviewers = pull.reviews.map((review) => review.author);
  const accounts = new Set([...mentioned, pull.author, ...before, ...reviewers]);
  return [...accounts].flatMap((account) =>
    account?.type === "User" && account !== author
      ? [{ account, isMentioned: mentioned.includes(account) }]
      : [],
  );
}

export async function editComment(
  world: World,
  comment: Comment,
  sender: Account,
  body: string,
): Promise<void> {
  const before = comment.body;
  if (before === body) return;
  comment.body = body;
  comment.updatedAt = world.now();
  await world.emit({ type: "comment", comment, sender, action: "edited", before });
}

export async function deleteComment(world: World, comment: Comment, sender: Account): Promise<void> {
  const { pull } = comment;
  pull.comments = pull.comments.filter((one) => one !== comment);
  pull.repository.comments.delete(comment.id);
  await world.emit({ type: "comment", comment, sender, action: "deleted" });
}

/** Adds a reaction. A user has at most one reaction of each content, so an existing one is returned with `created` false. */
export function addReaction(
  world: World,
  comment: Pick<Comment, "reactions">,
  user: Account,
  content: Reaction["content"],
): { reaction: Reaction; created: boolean } {
  const existing = comment.reactions.find((one) => one.user === user && one.content === content);
  if (existing !== undefined) return { reaction: existing, created: false };
  const reaction: Reaction = { id: world.nextId(), user, content, at: world.now() };
  comment.reactions.push(reaction);
  return { reaction, created: true };
}
