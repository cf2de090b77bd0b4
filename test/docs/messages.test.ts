import { describe, expect, test } from "@jest/globals";
import { collectTexts } from "../../scripts/collect-texts.ts";
import { renderMessages } from "../../scripts/render-messages.ts";

describe("the catalogue of messages contains", () => {
  test.each([
    ["a text in quotes", 'reply("Nothing was done.");', ["Nothing was done."]],
    [
      "a text with values by their names",
      "reply(`#$" + "{entry.pr} is $" + "{code(state)}.`);",
      ["#{pr} is {state}."],
    ],
    ["a text within the value of another", "`#$" + "{n > 1 ? `of $" + "{n} runs` : ''}`", ["of {n} runs"]],
    ["the texts of a page without its elements", "html`<p>No queue <b>yet</b></p>`", ["No queue"]],
  ])("%s", (_what, source, texts) => {
    expect(collectTexts(source)).toEqual(expect.arrayContaining(texts));
  });

  test.each([
    ["names and codes", 'send("merge_commit", "QUEUE_NOT_FOUND");'],
    ["log messages", 'parts.log.warn({ pr }, "could not react to it");'],
    ["types and imports", 'import "some module"; type Kind = "one kind" | "other kind";'],
  ])("no %s", (_what, source) => {
    expect(collectTexts(source)).toEqual([]);
  });

  test.each([
    ["the bot", "Edited comments are ignored. Post a new one."],
    ["the comment", "The tree on {branch} is exactly what was tested."],
    ["the page", "Nothing is waiting."],
    ["the Action", "was never submitted to the queue of"],
    ["the command line", "DATABASE_URL"],
  ])("the texts of %s", (_where, text) => {
    expect(renderMessages()).toContain(text);
  });
});
