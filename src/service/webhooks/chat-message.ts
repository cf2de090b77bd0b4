import type { ReasonCode } from "../../engine/reasons/reason.ts";
import { reasonGuides } from "../../engine/reasons/reason-guide.ts";
import { asSentence, capitalised } from "../../engine/reasons/sentence.ts";
import type { WebhookFormat } from "../../store/webhooks/webhook-endpoints.ts";
import type { EventName } from "./event-names.ts";

/** The fields of payloads that a chat message shows. Stored payloads may be of another version. */
interface Payload {
  readonly type?: EventName;
  readonly repository?: { readonly host: string; readonly owner: string; readonly name: string };
  readonly target_branch?: string;
  readonly pr_number?: number;
  readonly pr_numbers?: readonly number[];
  readonly author?: string;
  readonly name?: string;
  readonly http_details_url?: string;
  readonly reason_text?: string;
  readonly failure_reason?: string;
  readonly cancellation_reason?: string;
}

/** Slack takes at most 3,000 characters in a section, as they are sent: `&amp;` has five. */
const longest = { subject: 150, text: 2_500 };

/** What happened to the subject of an event. */
const phrases: Readonly<Record<EventName, string>> = {
  "pull_request.submitted": "It was submitted to the queue",
  "pull_request.queued": "It waits in the queue",
  "pull_request.testing": "It is being tested",
  "pull_request.pending_failure": "It failed its tests, perhaps because of what is ahead of it",
  "pull_request.failed": "It was removed from the queue",
  "pull_request.canceled": "It was removed from the queue",
  "pull_request.merged": "It has merged",
  "pull_request_batch.testing": "They are being tested together",
  "pull_request_batch.passed": "They passed their tests",
  "pull_request_batch.failed": "They failed their tests",
  "pull_request_batch.bisecting": "They failed, and are being tested in parts",
  "pull_request_batch.canceled": "They are not tested together any more",
  "queue.stalled": "Pull requests wait, and nothing merges",
  "queue.recovered": "The alarm that nothing merges is over",
  "test_case.status_changed": "It has another status",
  "test_case.quarantined": "It is quarantined: its failures do not count",
  "test_case.unquarantined": "It is not quarantined any more: its failures count",
  "test_case.quarantining_setting_changed": "It has another quarantine setting",
  "test_case.changes_omitted": "This test and others changed",
};

/** The body in which an endpoint receives a stored payload. */
export function renderBody(format: WebhookFormat, payload: string): string {
  if (format === "json") return payload;
  const content = JSON.parse(payload) as Payload;
  const parts = { subject: subjectOf(content), text: textOf(content), url: urlOf(content) };
  return JSON.stringify(format === "slack" ? slackMessage(parts) : teamsMessage(parts));
}

interface ChatText {
  readonly subject: string;
  readonly text: string;
  readonly url: string | null;
}

function subjectOf({ repository, pr_number, pr_numbers, name }: Payload): string {
  const place = repository ? `${repository.owner}/${repository.name}` : "Trainyard";
  if (pr_number !== undefined) return `${place}#${pr_number}`;
  if (pr_numbers) return `${place} ${pr_numbers.map((pr) => `#${pr}`).join(", ")}`;
  return name === undefined ? place : `${place}: ${name}`;
}

/** The text of the comment on the pull request: what happened, why, and what to do. */
function textOf({ type, target_branch, author, reason_text, ...reasons }: Payload): string {
  const by = author === undefined ? "" : `By ${author}. `;
  const branch = target_branch === undefined ? "" : ` (${target_branch})`;
  const phrase = type ? `${phrases[type] ?? type}${branch}.` : "";
  const why = reason_text ? ` ${capitalised(asSentence(reason_text))}` : "";
  const advice = adviceOn(reasons.failure_reason ?? reasons.cancellation_reason);
  const next = type === "pull_request.failed" || type === "pull_request.canceled" ? advice : "";
  return `${by}${phrase}${why}${next}`.trim() || "Something happened.";
}

function adviceOn(code: string | undefined): string {
  const advice = Object.hasOwn(reasonGuides, code ?? "") ? reasonGuides[code as ReasonCode].advice : null;
  return advice ? ` ${advice}` : "";
}

function urlOf({ repository, pr_number, http_details_url }: Payload): string | null {
  if (repository && pr_number !== undefined)
    return `https://${repository.host}/${repository.owner}/${repository.name}/pull/${pr_number}`;
  return http_details_url && URL.canParse(http_details_url) ? new URL(http_details_url).href : null;
}

/** Text by others is sent as plain text, in which Slack interprets nothing. Only the link is `mrkdwn`. */
function slackMessage({ url, ...parts }: ChatText) {
  const subject = written(parts.subject, longest.subject, slackText);
  const text = written(parts.text, longest.text, slackText);
  const link = url === null ? subject : `<${slackText(url)}|${subject.replaceAll("|", "¦")}>`;
  return {
    // Shown only in notifications.
    text: `${subject}: ${text}`,
    blocks: [
      { type: "section", text: { type: "mrkdwn", text: link, verbatim: true } },
      { type: "section", text: { type: "plain_text", text, emoji: false } },
    ],
  };
}

/** https://docs.slack.dev/messaging/formatting-message-text#escaping */
function slackText(text: string): string {
  return withoutMentions(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** A message with an adaptive card. A text run knows no Markdown, and a mention would need an entity. */
function teamsMessage({ subject, text, url }: ChatText) {
  const run = (of: string, most: number, more: object = {}) => ({
    type: "TextRun",
    text: written(of, most, withoutMentions),
    ...more,
  });
  const paragraph = (inline: object) => ({ type: "RichTextBlock", inlines: [inline] });
  const content = {
    $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
    type: "AdaptiveCard",
    version: "1.4",
    body: [
      paragraph(run(subject, longest.subject, { weight: "Bolder" })),
      paragraph(run(text, longest.text)),
    ],
    actions: url === null ? [] : [{ type: "Action.OpenUrl", title: "Open", url }],
  };
  const attachment = { contentType: "application/vnd.microsoft.card.adaptive", contentUrl: null, content };
  return { type: "message", attachments: [attachment] };
}

/** Prevents `@everyone` and names from notifying anybody. */
const withoutMentions = (text: string) => text.replaceAll("@", "@\u200b");

/** The result of `write` for the text, with at most `most` characters. The text is cut between characters, so that no entity is cut. */
function written(text: string, most: number, write: (text: string) => string): string {
  const whole = write(text);
  if (whole.length <= most) return whole;
  let shown = "";
  for (const letter of text) {
    const longer = shown + write(letter);
    if (longer.length >= most) break;
    shown = longer;
  }
  return `${shown}…`;
}
