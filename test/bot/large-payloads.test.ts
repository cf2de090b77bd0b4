import { describe, expect, test } from "@jest/globals";
import { readLargePayload } from "../../src/bot/deliveries/read-delivery.ts";

const repository = { name: "widgets", full_name: "acme/widgets", owner: { login: "acme", id: 1 } };
const push = { ref: "refs/heads/main", after: "a".repeat(40), repository, forced: false };
const commit = (path: string) => ({
  message: 'Say "commits":[] and [',
  added: [],
  modified: [path],
  removed: [],
});
const read = (event: string, payload: unknown) =>
  readLargePayload(event, Buffer.from(typeof payload === "string" ? payload : JSON.stringify(payload)));

describe("a large push payload", () => {
  test("keeps whether its commits touch the repository file, and drops all else about them", () => {
    const others = [commit("src/a.ts"), commit("src/b.ts")];
    expect(read("push", { ...push, commits: others })).toMatchObject({ ref: push.ref, commits: [] });
    expect(read("push", { ...push, commits: [...others, commit(".github/trainyard.yml")] })).toMatchObject({
      commits: [{ modified: [".github/trainyard.yml"] }],
    });
    const escaped = JSON.stringify({ ...push, commits: [commit(".github/trainyard.yml")] }).replaceAll(
      "/",
      "\\/",
    );
    expect(read("push", escaped)).toMatchObject({ commits: [{ modified: [".github/trainyard.yml"] }] });
  });

  test("is read correctly if another part of it looks like its commits", () => {
    const title = '"commits":[';
    expect(read("push", { title, ...push, commits: [commit("a")] })).toMatchObject({ ref: push.ref });
    expect(read("push", { nested: { commits: [commit("a")] }, ...push })).toMatchObject({ ref: push.ref });
  });
});

test("any other large payload keeps only the fields that handlers need", () => {
  const status = {
    id: 1,
    sha: "b".repeat(40),
    context: "ci",
    target_url: "https://ci.example/1",
    state: "success",
    repository,
    installation: { id: 7 },
  };
  expect(read("status", { ...status, branches: Array(1_000).fill({ name: "x" }) })).toEqual({
    ...status,
    repository: { name: "widgets", full_name: "acme/widgets", owner: { login: "acme" } },
  });
});

test.each(["[]", "null", "{", "", '{"commits":[', '{"commits":[]'])(
  "%s is not a valid large payload",
  (text) => {
    expect(read("push", text)).toBeNull();
  },
);
