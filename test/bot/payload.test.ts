import { expect, test } from "@jest/globals";
import { issueCommentPayload, pullRequestPayload, readPayload } from "../../src/bot/deliveries/payload.ts";

const person = { login: "alice", id: 1, type: "User" };
const anywhere = {
  repository: { name: "widgets", owner: { login: "acme" } },
  installation: { id: 1 },
  sender: person,
};

test.each([{ title: { from: "Old" } }, { body: { from: "Old" } }, { base: { ref: { from: "next" } } }])(
  "an edit of a pull request is read with the changes %j",
  (changes) => {
    const pull_request = {
      number: 7,
      title: "New",
      state: "open",
      updated_at: "2026-11-23T00:00:00Z",
      head: { ref: "one", sha: "a" },
      base: { ref: "main" },
      labels: [],
    };
    const payload = { ...anywhere, action: "edited", pull_request, changes };
    expect(readPayload(pullRequestPayload, payload)).toMatchObject({ action: "edited", pull_request });
  },
);

test("a comment on an issue that is not a pull request is read", () => {
  const comment = {
    id: 1,
    node_id: "IC_1",
    body: "Hello.",
    created_at: "2026-11-23T00:00:00Z",
    user: person,
  };
  const payload = { ...anywhere, action: "created", issue: { number: 7, labels: [] }, comment };
  expect(readPayload(issueCommentPayload, payload).issue.pull_request).toBeUndefined();
});
