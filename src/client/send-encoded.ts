import { type AnswerOf, type ClientOptions, type EndpointName, endpointUrl, headersOf } from "./client.ts";
import type { EncodedBody } from "./encoded-body.ts";
import { exchange } from "./exchange.ts";
import { withRetries } from "./retry.ts";

/** Calls an endpoint with a body that is already JSON. Throws like the client's own methods. */
export async function sendEncoded<Name extends EndpointName>(
  options: ClientOptions,
  name: Name,
  body: EncodedBody,
): Promise<AnswerOf<Name>> {
  const { fetch = globalThis.fetch, timeoutMs = 30_000, retry = { attempts: 1 } } = options;
  const posted = {
    method: "POST" as const,
    url: endpointUrl(options, name),
    headers: headersOf(options),
    body,
    timeoutMs,
  };
  return (await withRetries(() => exchange(fetch, posted), retry)) as AnswerOf<Name>;
}
