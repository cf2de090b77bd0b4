import { html } from "ghtml";
import type { ApiDocument, Operation, Response } from "./api-document.ts";
import { renderFields } from "./render-fields.ts";
import { renderProse, renderType } from "./render-type.ts";

export interface LocatedOperation {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

/** Renders everything about one endpoint. */
export function renderOperation(
  document: ApiDocument,
  { method, path, operation }: LocatedOperation,
): string {
  const { operationId, summary, description, requestBody, responses, parameters = [] } = operation;
  const body = requestBody?.content["application/json"];
  const answered = responses[200]?.content ?? {};
  const [answerType = "", answer] = Object.entries(answered)[0] ?? [];
  return html`
<section class="operation" id="${operationId}">
<h3><span class="method">${method.toUpperCase()}</span> <code>${path}</code></h3>
<p>!${renderProse(summary)} !${renderProse(description)} !${renderProof(document, operation)}</p>
!${parameters.length === 0 ? "" : html`<h4>${parameters[0]?.in === "query" ? "Query" : "Header"}</h4>!${renderFields(asObject(parameters), { required: true })}`}
!${body ? html`<h4>Body</h4>!${renderFields(body.schema, { required: true }) || "<p>An empty object.</p>"}!${renderExample(body.example)}` : ""}
<h4>Answer</h4>
<p>!${answer ? html`200 with !${isNamed(answer.schema) ? renderType(answer.schema) : html`<code>${answerType}</code>`}` : ""}</p>
!${renderExample(answer?.example)}
<h4>Problems</h4>
<p class="problems">!${Object.entries(responses)
    .filter(([status]) => status !== "200")
    .map(([status, response]) => renderProblem(document, status, response))}</p>
</section>`;
}

function isNamed(schema: { readonly $ref?: string }): boolean {
  return schema.$ref !== undefined;
}

/** Renders the credentials that are accepted instead of a token, if there are any. */
function renderProof({ components }: ApiDocument, { security = [] }: Operation): string {
  const others = security
    .flatMap((one) => Object.keys(one))
    .filter((name) => !/^(apiToken|bearer)$/.test(name));
  if (others.length === 0) return "";
  const words = others.map(
    (name) => html`<a href="#authentication">${components.securitySchemes[name] ? name : ""}</a>`,
  );
  return html`In place of it: !${words.join(" or ")}.`;
}

function asObject(parameters: NonNullable<Operation["parameters"]>) {
  const fields = parameters.map(({ name, schema, description = "" }) => [name, { ...schema, description }]);
  return {
    properties: Object.fromEntries(fields),
    required: parameters.filter(({ required }) => required).map(({ name }) => name),
  };
}

function renderExample(example: unknown): string {
  return example === undefined ? "" : html`<pre><code>${JSON.stringify(example, null, 2)}</code></pre>`;
}

function renderProblem({ components }: ApiDocument, status: string, { description }: Response): string {
  const said = description ?? components.responses[status]?.description ?? "";
  return html`<a class="status" href="#problem-${status}" title="${said}">${status}</a> `;
}
