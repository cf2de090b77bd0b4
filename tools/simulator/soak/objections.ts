import type { Objection } from "../../../src/engine/reasons/objection.ts";

/** Possible objections of reviewers and descriptions to a pull request; often none. */
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
