import type { FastifyReply, FastifyRequest } from "fastify";
import { sendProblem } from "./send-problem.ts";

/** Answers 405 for a path that is served with other methods, else 404. */
export function handleUnknownPath(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const [url = "/"] = request.url.split("?");
  const { server, method } = request;
  const allowed = server.supportedMethods.filter((served) => server.findRoute({ method: served, url }));
  if (allowed.length === 0) {
    return sendProblem(reply, {
      code: "PATH_NOT_FOUND",
      detail: "Nothing is served at this path. The API's paths begin with /v1/, as in /v1/getQueue.",
    });
  }
  return sendProblem(reply, {
    code: "METHOD_NOT_ALLOWED",
    detail: `This path does not serve ${method}. Use ${allowed.join(" or ")}.`,
    headers: { allow: allowed.join(", ") },
  });
}
