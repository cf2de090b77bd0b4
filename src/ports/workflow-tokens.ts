/** What a workflow's token says of the run that it was issued to. */
export interface WorkflowIdentity {
  /** The claim `sub`. */
  readonly subject: string;
  /** The workflow's name. */
  readonly workflow: string;
  readonly repository: { readonly owner: string; readonly name: string };
  /** What was checked out: a branch's commit, or for `pull_request` the test merge, which is no head. */
  readonly sha: string;
  /** `refs/heads/…`, or for `pull_request` `refs/pull/N/merge`. */
  readonly ref: string;
}

export type VerifiedToken =
  | { readonly kind: "valid"; readonly identity: WorkflowIdentity }
  /** `why` completes the sentence "The workflow's token is not accepted: …". */
  | { readonly kind: "invalid"; readonly why: string }
  /** The issuer's keys could not be read, so that nothing can be said of the token. */
  | { readonly kind: "unavailable"; readonly why: string };

/** Verifies the OpenID Connect tokens that GitHub issues to workflows. */
export interface WorkflowTokens {
  verify(token: string): Promise<VerifiedToken>;
}
