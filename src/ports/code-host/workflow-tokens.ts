/** The claims of a workflow's token about the run that it was issued to. */
export interface WorkflowIdentity {
  /** The `sub` claim. */
  readonly subject: string;
  /** The workflow's name. */
  readonly workflow: string;
  readonly repository: { readonly owner: string; readonly name: string };
  /**
   * The checked-out commit: a branch's commit, or for `pull_request` the test merge commit, which is not the
   * head SHA.
   */
  readonly sha: string;
  /** `refs/heads/…`, or for `pull_request` `refs/pull/N/merge`. */
  readonly ref: string;
}

export type VerifiedToken =
  | { readonly kind: "valid"; readonly identity: WorkflowIdentity }
  /** `why` completes the sentence "The workflow's token is not accepted: …". */
  | { readonly kind: "invalid"; readonly why: string }
  /** The issuer's keys could not be read, so the token can be neither accepted nor rejected. */
  | { readonly kind: "unavailable"; readonly why: string };

/** Verifies the OpenID Connect tokens that GitHub issues to workflows. */
export interface WorkflowTokens {
  verify(token: string): Promise<VerifiedToken>;
}
