import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { renderBody } from "../../../src/service/webhooks/chat-message.ts";
import { Receiver } from "./receiver.ts";
import { SendingStage } from "./sending-stage.ts";

let stage: SendingStage;
let receiver: Receiver;

beforeEach(async () => {
  stage = await SendingStage.start();
  receiver = await Receiver.start();
});
afterEach(async () => {
  await receiver.close();
  await stage.close();
});

/** As `planMessages` writes it, with hostile names of a branch and a check. */
const payload = {
  ...{ type: "pull_request.failed", action: "failed", status: "failed", pr_number: 12, author: "alice" },
  repository: { host: "github.com", owner: "acme", name: "widgets" },
  target_branch: "<!channel>",
  http_details_url: "https://trainyard.example.com/queues/github.com/acme/widgets/main",
  failure_reason: "CHECKS_FAILED",
  reason_text: "required check failed: *a & b* <https://evil.example|ok> @everyone",
};

interface SlackBody {
  readonly text: string;
  readonly blocks: readonly { readonly text: { readonly text: string } }[];
}

async function sent(format: "slack" | "teams"): Promise<unknown> {
  const { id } = await stage.create(receiver.url, "acme", format);
  await stage.announcePayload("a-1", payload);
  await stage.until(id, ({ state }) => state === "delivered");
  expect(receiver.received[0]?.headers["content-type"]).toBe("application/json");
  return JSON.parse(receiver.received[0]?.body ?? "");
}

const at = "@\u200b";
const advice = "Look at the failed checks, and push a fix.";

test("an endpoint of the format slack receives text and blocks, in which text by others is only shown", async () => {
  const text = `By alice. It was removed from the queue (&lt;!channel&gt;). Required check failed: *a &amp; b* &lt;https://evil.example|ok&gt; ${at}everyone. ${advice}`;
  expect(await sent("slack")).toEqual({
    text: `acme/widgets#12: ${text}`,
    blocks: [
      {
        type: "section",
        text: {
          type: "mrkdwn",
          text: "<https://github.com/acme/widgets/pull/12|acme/widgets#12>",
          verbatim: true,
        },
      },
      { type: "section", text: { type: "plain_text", text, emoji: false } },
    ],
  });
});

test("an endpoint of the format teams receives a message with an adaptive card, in which text by others is only shown", async () => {
  const text = `By alice. It was removed from the queue (<!channel>). Required check failed: *a & b* <https://evil.example|ok> ${at}everyone. ${advice}`;
  const run = (of: string, more = {}) => ({
    type: "RichTextBlock",
    inlines: [{ type: "TextRun", text: of, ...more }],
  });
  expect(await sent("teams")).toEqual({
    type: "message",
    attachments: [
      {
        contentType: "application/vnd.microsoft.card.adaptive",
        contentUrl: null,
        content: {
          $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
          type: "AdaptiveCard",
          version: "1.4",
          body: [run("acme/widgets#12", { weight: "Bolder" }), run(text)],
          actions: [
            { type: "Action.OpenUrl", title: "Open", url: "https://github.com/acme/widgets/pull/12" },
          ],
        },
      },
    ],
  });
});

test.each([
  ["characters that are escaped", "<&"],
  ["mentions", "@"],
  ["pairs of surrogates", "a😀"],
])("long texts by others fit into the sections of Slack, although they are %s", (_what, letters) => {
  const name = letters.repeat(2_000);
  const event = {
    type: "test_case.quarantined",
    name,
    reason_text: name,
    http_details_url: "https://a.example/",
  };
  const { text, blocks } = JSON.parse(renderBody("slack", JSON.stringify(event))) as SlackBody;
  const [subject = "", body = ""] = blocks.map((block) => block.text.text);
  expect(subject.length).toBeGreaterThan(140);
  expect(subject.length).toBeLessThan(200);
  expect(body.length).toBeGreaterThan(2_400);
  expect(body.length).toBeLessThanOrEqual(3_000);
  expect(text.length).toBeLessThan(3_300);
  for (const shown of [subject, body]) {
    expect(shown).toMatch(/(&amp;|&lt;|@\u200b|a|😀)…>?$/u);
    expect(shown).not.toMatch(/\p{Surrogate}/u);
  }
});

test("a short text stays whole, and a long one is cut in a card, too", () => {
  const card = (name: string) => renderBody("teams", JSON.stringify({ type: "test_case.quarantined", name }));
  expect(card("a".repeat(100))).toContain(`"Trainyard: ${"a".repeat(100)}"`);
  expect(card("a".repeat(2_000))).not.toContain("a".repeat(150));
});
