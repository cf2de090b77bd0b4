import { expect, test } from "@jest/globals";
import { muteMessage } from "../../src/github/test-commits/commit-message.ts";

const visible = (text: string) => text.replaceAll("\u200b", "");

test.each([
  "Fix #12",
  "Fix acme/widgets#12",
  "As GH-12 says",
  "https://github.com/acme/widgets/pull/12",
  "Thanks @alice",
])("%j reads the same to people, and does nothing on GitHub", (message) => {
  const muted = muteMessage(message);
  expect(visible(muted)).toBe(message);
  expect(muted).not.toMatch(/#\d|GH-\d|:\/\/|@\w/);
});

test("trailers with addresses stay as they are", () => {
  const message = "Add it\n\nSigned-off-by: Alice <alice@example.com>";
  expect(muteMessage(message)).toBe(message);
});

test("words by which CI skips a commit are taken apart", () => {
  expect(muteMessage("Docs [skip ci]")).toBe("Docs (skip-ci)");
});
