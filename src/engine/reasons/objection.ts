import { type PartOfStack, renderPartOfStack } from "./stack.ts";
import { renderUnmet, type UnmetDependencies } from "./unmet-dependencies.ts";

/** GitHub does not say whether a pull request has what the rules of its base demand of people. */
export interface ReviewUnknown {
  readonly code: "REVIEW_UNKNOWN";
}

/**
 * An objection to the merge of a pull request: from reviewers, review rules, checks on its head, its own description, or its stack. Each
 * is also a `Reason`, except that what is unknown takes nothing out of the line: it only keeps from being admitted or merged.
 */
export type Objection =
  | ReviewUnknown
  | { readonly code: "CHANGES_REQUESTED"; readonly by: readonly string[] }
  | { readonly code: "REVIEW_REQUIRED" }
  | { readonly code: "CONVERSATIONS_OPEN"; readonly count: number }
  /** These checks are accepted from the head (`acceptFromHead`). */
  | { readonly code: "HEAD_CHECKS_FAILED"; readonly names: readonly string[] }
  | UnmetDependencies
  | PartOfStack;

const ofReviewers: ReadonlySet<string> = new Set<Objection["code"]>([
  "CHANGES_REQUESTED",
  "REVIEW_REQUIRED",
  "CONVERSATIONS_OPEN",
  "HEAD_CHECKS_FAILED",
]);

/** Whether it comes from reviewers, review rules or checks on the head. While it may be resolved, the entry keeps its place for a while. */
export function isObjection({ code }: { readonly code: string }): boolean {
  return ofReviewers.has(code);
}

export function isReviewUnknown(objection: Objection): objection is ReviewUnknown {
  return objection.code === "REVIEW_UNKNOWN";
}

/** @param foreign escapes text that others wrote for the place where it is shown */
export function renderObjection(
  objection: Objection,
  foreign: (text: string) => string = (text) => text,
): string {
  switch (objection.code) {
    case "CHANGES_REQUESTED": {
      const names = objection.by.map((login) => `@${login}`).join(", ");
      return names === "" ? "changes were requested" : `changes were requested by ${names}`;
    }
    case "REVIEW_REQUIRED":
      return "a review is required";
    case "CONVERSATIONS_OPEN":
      return objection.count === 1
        ? "1 conversation is unresolved"
        : `${objection.count} conversations are unresolved`;
    case "REVIEW_UNKNOWN":
      return "GitHub does not say whether it has the reviews and resolved conversations that the branch's rules demand";
    case "HEAD_CHECKS_FAILED":
      return `required ${objection.names.length === 1 ? "check" : "checks"} failed on its head: ${objection.names.map((name) => foreign(name)).join(", ")}`;
    case "DEPENDS_ON":
      return renderUnmet(objection, foreign);
    case "PART_OF_STACK":
      return renderPartOfStack(objection);
  }
}
