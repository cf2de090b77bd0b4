import { type FastifyBaseLogger, type FastifyReply, type FastifyRequest, LogController } from "fastify";

const secretHeaders = new Set([
  "x-api-token",
  "authorization",
  "proxy-authorization",
  "cookie",
  "set-cookie",
]);

/** The fields of a request or an answer that may be logged: no headers. */
function withoutHeaders(message: { method?: string; url?: string; statusCode?: number }) {
  return { method: message.method, path: message.url?.split("?")[0], status: message.statusCode };
}

function withoutSecrets(headers: Readonly<Record<string, unknown>>) {
  const shown = ([name, value]: [string, unknown]) => [name, secretHeaders.has(name) ? "[secret]" : value];
  return Object.fromEntries(Object.entries(headers).map(shown));
}

/** Leaves out the other fields of an error, because the error of a failed request contains the request itself. */
function errorText(error: unknown): object {
  if (!Error.isError(error)) return { type: typeof error, message: String(error) };
  const { name: type, message, stack, cause } = error;
  const code = "code" in error ? { code: error.code } : {};
  return { type, message, ...code, stack, ...(cause === undefined ? {} : { cause: errorText(cause) }) };
}

/** Returns a log in which no token and no cookie appears, even if code logs headers, a request, or an error that contains them. */
export function keepingSecrets(log: FastifyBaseLogger): FastifyBaseLogger {
  return log.child(
    {},
    {
      serializers: {
        req: withoutHeaders,
        request: withoutHeaders,
        res: withoutHeaders,
        reply: withoutHeaders,
        headers: withoutSecrets,
        err: errorText,
      },
    },
  );
}

/** Logs one line for each request, when it is over. */
export class RequestLog extends LogController {
  override incomingRequest(): void {}

  override routeNotFound(): void {}

  override requestCompleted(
    error: Error | null | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
  ): void {
    const fields = {
      method: request.method,
      path: request.url.split("?")[0],
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
      ip: request.ip,
    };
    if (error) request.log.warn({ ...fields, err: error }, "an answer could not be sent");
    else if (isProbe(request)) request.log.debug(fields, "served");
    else request.log.info(fields, "served");
  }
}

/** Probes come every few seconds and contain no information. */
function isProbe(request: FastifyRequest): boolean {
  return request.routeOptions.url === "/healthz" || request.routeOptions.url === "/readyz";
}
