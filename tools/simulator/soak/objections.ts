import type { Objection } from "../../../src/engine/reasons/objection.ts";

/** What reviewers and descriptions may have against a pull request; often nothing. */
export const objections: readonly (readonly Objection[])[] = [
  [],
  [{ code: "REVIEW_REQUIRED" }],
  [],
  [
    { code: "CHANGES_REQUESTED", by: ["bob"] },
    { code: "CONVERSATIONS_OPEN", count: 2 },
  ],
  [],
  [{ code: "CONVERSATIONS_OPEN", count: 1 }],
  [],
  [{ code: "DEPENDS_ON", open: [1, 2], closed: [], elsewhere: [], absent: [], cycle: [] }],
];
