import { openApiDocument } from "../src/api/openapi/document.ts";
import { formatSource } from "./format-source.ts";
import { type JsonSchema, renderInterface, renderType } from "./render-type.ts";

interface Content {
  readonly content: { readonly "application/json": { readonly schema: JsonSchema } };
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly requestBody?: Content;
  readonly responses: { readonly 200: Content };
}

interface Document {
  readonly paths: Readonly<Record<string, { readonly post?: Operation }>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}

const heading = "// Made of the API's description by `npm run build`. Do not edit.";

/** Renders the types of the API for its clients from its description, so that they need none of the service's own types. */
export async function renderApiTypes(): Promise<string> {
  const { paths, components } = openApiDocument() as Document;
  const operations = Object.values(paths).flatMap(({ post }) =>
    post ? [{ name: post.operationId, post }] : [],
  );
  const requests = operations.map(({ name, post }) =>
    renderInterface(requestName(name), post.requestBody?.content["application/json"].schema ?? {}, "request"),
  );
  const answers = Object.entries(components.schemas).map(([name, schema]) =>
    renderInterface(name, schema, "answer"),
  );
  const endpoints = operations.map(({ name, post }) => {
    const answer = renderType(post.responses[200].content["application/json"].schema, "answer");
    return `/** ${post.summary} */\n${name}: { request: ${requestName(name)}; answer: ${answer} };`;
  });
  const index = `/** What is sent to each endpoint, and what it answers. */\nexport interface Api {\n${endpoints.join("\n")}\n}`;
  return formatSource([heading, index, ...requests, ...answers].join("\n\n"), "src/client/generated/api.ts");
}

function requestName(endpoint: string): string {
  return `${endpoint.charAt(0).toUpperCase()}${endpoint.slice(1)}Request`;
}
