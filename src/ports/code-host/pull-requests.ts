export interface TestPullRequest {
  readonly head: string;
  readonly base: string;
  readonly title: string;
  /** Markdown. */
  readonly body: string;
}

/** A pull request in a listing. It has fewer fields than a full reading. */
export interface ListedPullRequest {
  readonly number: number;
  readonly headSha: string;
  readonly baseBranch: string;
  readonly draft: boolean;
  readonly labels: readonly string[];
  /** Who enabled auto-merge; null when it is off. */
  readonly autoMergeBy: { readonly login: string; readonly id: number; readonly isBot: boolean } | null;
  readonly updatedAt: number;
}

/** The reaction to a comment with commands: `thumbs_up` when all were carried out, otherwise `confused`. */
export type Reaction = "thumbs_up" | "confused";

/** A comment found by polling. */
export interface FoundComment {
  readonly id: number;
  /** The id that `react` takes. */
  readonly nodeId: string;
  readonly issue: number;
  readonly onPullRequest: boolean;
  readonly body: string;
  readonly authorLogin: string;
  readonly authorIsBot: boolean;
  readonly authorId: number;
  /** The App that wrote it; null when a person wrote it directly. */
  readonly viaAppId: number | null;
  /** The id of the service that wrote it, for a comment of ours; null when it names none. */
  readonly instance: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A label that was added to or removed from a pull request. */
export interface LabelEvent {
  readonly id: number;
  readonly action: "labeled" | "unlabeled";
  readonly label: string;
  readonly actorLogin: string;
  readonly actorIsBot: boolean;
  readonly actorId: number;
  readonly at: number;
}

/**
 * When a comment or command was given on a pull request, in milliseconds since the epoch, and its author's
 * login.
 */
export interface SaidAt {
  readonly at: number;
  readonly by: string;
  /** The first digits of the head that was meant. Nothing is proven if the branch had several such heads. */
  readonly beginning?: string;
}

/** The code host's record of which head a pull request had at a given time. */
export type HeadRecord =
  /** The head was already there, and nothing was pushed since. */
  | { readonly kind: "proven"; readonly sha: string }
  /** The current head was pushed later. */
  | { readonly kind: "pushed_since"; readonly sha: string }
  /**
   * The code host cannot prove either: for a fork, a push by another person in the same second, several matching heads, or without a
   * record.
   */
  | { readonly kind: "unknown" };

/** The account that pushed a commit. */
export interface Pusher {
  readonly login: string;
  readonly id: number;
  readonly isPerson: boolean;
}

export interface PullRequestText {
  readonly body: string;
  /** Oldest first, at most 250. */
  readonly commits: readonly {
    readonly message: string;
    readonly authorName: string;
    readonly authorEmail: string;
    /** The author's account; null when unknown. */
    readonly authorLogin: string | null;
  }[];
  /** The number of commits that are not in the list. */
  readonly unlisted: number;
}

/** Our comment on a pull request. */
export interface PostedComment {
  readonly id: string;
  /** See `CommentContent.mark`. */
  readonly mark: string | null;
}

export interface CommentContent {
  /** Markdown. */
  readonly body: string;
  /** The id of this service. Other services may use the same App. */
  readonly instance: string;
  /** The event of which people are notified by this comment, such as a lost place; null = an existing comment may be edited. */
  readonly mark: string | null;
}
