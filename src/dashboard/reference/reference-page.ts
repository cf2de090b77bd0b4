import { html } from "ghtml";
import {
  type ApiDocument,
  type Operation,
  objectAnchor,
  type Response,
  renderFields,
  renderProse,
  renderType,
  type Schema,
} from "./api-document.ts";

/** Renders the API's description, without the frame of the page. */
export function renderReference(document: ApiDocument): string {
  const { info, tags, components } = document;
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): LocatedOperation => ({ method, path, operation })),
  );
  const groups = tags.map((tag) => ({
    ...tag,
    operations: operations.filter(({ operation }) => operation.tags.includes(tag.name)),
  }));
  return html`
<div class="reference">
<nav aria-label="Contents">
<a href="#authentication">Who may call</a>
!${groups.map(({ name, operations: own }) => html`<h2>${name}</h2>!${own.map(({ operation: { operationId } }) => html`<a href="#${operationId}">${operationId}</a>`)}`)}
<h2>Objects</h2>
!${Object.keys(components.schemas).map((name) => html`<a href="#${objectAnchor(name)}">${name}</a>`)}
<h2>Problems</h2>
!${Object.keys(components.responses).map((status) => html`<a href="#problem-${status}">${status}</a>`)}
</nav>
<main>
<h1>The API of ${info.title} <span class="quiet">${info.version}</span></h1>
<p>!${renderProse(info.description)}</p>
<p>For programs: <a href="/openapi.json">/openapi.json</a>.</p>
<section id="authentication"><h2>Who may call</h2>!${renderSchemes(document)}</section>
!${groups.map(
    ({ name, description, operations: own }) =>
      html`<h2 class="group">${name} <span class="quiet">${description}</span></h2>!${own.map((one) => renderOperation(document, one))}`,
  )}
<h2 class="group">Objects</h2>
!${Object.entries(components.schemas).map(([name, schema]) => renderObject(name, schema))}
<h2 class="group">Problems</h2>
!${renderProblems(document)}
</main>
</div>`;
}

function renderSchemes({ components }: ApiDocument): string {
  const rows = Object.entries(components.securitySchemes).map(
    ([name, { type, name: header, description }]) =>
      html`<tr><td>${name}</td><td><code>${type === "http" ? "Authorization: Bearer" : header}</code></td><td>!${renderProse(description)}</td></tr>`,
  );
  return html`<table class="fields"><tbody>!${rows}</tbody></table>`;
}

function renderObject(name: string, schema: Schema): string {
  const fields = renderFields(schema, { required: false });
  return html`
<section class="operation" id="${objectAnchor(name)}"><h3>${name}</h3>
!${schema.description ? html`<p>!${renderProse(schema.description)}</p>` : ""}
!${fields || html`<p>!${renderAlternatives(schema)}</p>`}
</section>`;
}

function renderAlternatives({ anyOf = [] }: Schema): string {
  return anyOf
    .map((one) => (one.$ref ? renderType(one) : renderFields(one, { required: false })))
    .join(" or ");
}

/** Lists the problem codes of each status, with their titles. */
function renderProblems({ components }: ApiDocument): string {
  return Object.entries(components.responses)
    .map(([status, { description = "", content = {} }]) => {
      const codes = Object.entries(content["application/problem+json"]?.examples ?? {}).map(
        ([code, example]) => {
          const { title } = (example as { value: { title: string } }).value;
          return html`<tr><td><code>${code}</code></td><td>${title}</td></tr>`;
        },
      );
      return html`
<section class="operation" id="problem-${status}"><h3>${status}</h3><p>!${renderProse(description)}</p>
<table class="fields"><tbody>!${codes}</tbody></table></section>`;
    })
    .join("");
}

interface LocatedOperation {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

/** Renders everything about one endpoint. */
function renderOperation(document: ApiDocument, { method, path, operation }: LocatedOperation): string {
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
  return example === undefined
    ? ""
    : html`<pre tabindex="0"><code>${JSON.stringify(example, null, 2)}</code></pre>`;
}

function renderProblem({ components }: ApiDocument, status: string, { description }: Response): string {
  const said = description ?? components.responses[status]?.description ?? "";
  return html`<a class="status" href="#problem-${status}" title="${said}">${status}</a> `;
}
