import * as z from "zod";
import { pageAnswer } from "../../flaky/endpoints/page-query.ts";
import { testSchemas } from "../../flaky/endpoints/test-endpoints.ts";
import { auditEntry } from "../endpoints/audit-log.ts";
import { entryAnswer, entryItem, listedEntry } from "../endpoints/entry-answer.ts";
import {
  configuredQueueAnswer,
  finding,
  queueWithEntriesAnswer,
  unexamined,
} from "../endpoints/queue-answer.ts";
import { testingDetails } from "../endpoints/test-runs.ts";
import { verdict } from "../endpoints/verdict-answer.ts";
import { deliveryAnswer, webhookAnswer, webhookWithSecret } from "../endpoints/webhooks.ts";
import { type EndpointName, endpoints } from "../endpoints.ts";

const componentUri = (id: string) => `#/components/schemas/${id}`;

/** The schemas of answers and their names in the document. */
const answers = z.registry<{ id: string }>();
answers.add(entryAnswer, { id: "PullRequest" });
answers.add(entryItem, { id: "QueuedPullRequest" });
answers.add(auditEntry, { id: "AuditEntry" });
answers.add(listedEntry, { id: "ListedPullRequest" });
answers.add(verdict, { id: "Verdict" });
answers.add(testingDetails, { id: "TestingDetails" });
answers.add(queueWithEntriesAnswer, { id: "Queue" });
answers.add(finding, { id: "Finding" });
answers.add(unexamined, { id: "Unexamined" });
answers.add(configuredQueueAnswer, { id: "ConfiguredQueue" });
answers.add(webhookAnswer, { id: "Webhook" });
answers.add(webhookWithSecret, { id: "ShownWebhook" });
answers.add(deliveryAnswer, { id: "WebhookDelivery" });
answers.add(pageAnswer, { id: "Page" });
for (const [id, schema] of Object.entries(testSchemas)) answers.add(schema, { id });
for (const [name, { answer }] of Object.entries(endpoints))
  if (!answers.has(answer))
    answers.add(answer, { id: `${name.charAt(0).toUpperCase()}${name.slice(1)}Answer` });

const problem = {
  type: "object",
  description: "Why a request was not served (RFC 9457).",
  required: ["type", "title", "status", "detail", "instance", "code"],
  properties: {
    type: { type: "string", description: "`/problems/` and the code." },
    title: { type: "string" },
    status: { type: "integer" },
    detail: { type: "string", description: "What is wrong, and what to do about it." },
    instance: {
      type: "string",
      description: "The request's id, by which its entries in the log can be found.",
    },
    code: { type: "string", description: "What is wrong, for programs." },
    errors: {
      type: "array",
      description: "What is wrong with the body or the query, by field.",
      items: {
        type: "object",
        required: ["path", "message"],
        properties: { path: { type: "string" }, message: { type: "string" } },
      },
    },
  },
};

export function componentSchemas(): Record<string, object> {
  const { schemas } = z.toJSONSchema(answers, { uri: componentUri, unrepresentable: "any" });
  return {
    Problem: problem,
    ...Object.fromEntries(Object.entries(schemas).map(([id, one]) => [id, bare(one)])),
  };
}

/** The schema of a body before parsing. It accepts more forms than the parsed value has, such as digits for a number. */
export function requestSchema(name: EndpointName): object {
  return bare(z.toJSONSchema(endpoints[name].body, { io: "input", unrepresentable: "any" }));
}

export function answerRef(name: EndpointName): object {
  const { id } = answers.get(endpoints[name].answer) ?? {};
  return { $ref: componentUri(String(id)) };
}

/** Removes the fields that identify the schema: the document does that already. */
function bare({ $schema: _schema, $id: _id, ...schema }: Record<string, unknown>): object {
  return schema;
}
