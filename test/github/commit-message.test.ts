import { expect, test } from "@jest/globals";
import { muteMessage } from "../../src/github/test-commits/commit-message.ts";

const visible = (text: string) => text.replaceAll("\u200b", "");

test.each([
  "Fix #12",
  "Fix acme/widgets#12",
  "As GH-12 says",
  "https://github.com/acme/widgets/pull/12",
  "Thanks @alice",
])("the muted message %j looks the same, but has no effect on GitHub", (message) => {
  const muted = muteMessage(message);
  expect(visible(muted)).toBe(message);
  expect(muted).not.toMatch(/#\d|GH-\d|:\/\/|@\w/);
});

test("a muted message keeps trailers with addresses", () => {
  const message = "Add it\n\nSigned-off-by: Alice <alice@example.com>";
  expect(muteMessage(message)).toBe(message);
});

test("a muted message does not make CI skip a commit", () => {
  expect(muteMessage("Docs [skip ci]")).toBe("Docs (skip-ci)");
});
