import type { FastifyReply } from "fastify";
import { type Problem, problemKinds, renderProblem } from "./problem.ts";

export function sendProblem(reply: FastifyReply, problem: Problem): FastifyReply {
  return reply
    .code(problemKinds[problem.code].status)
    .headers({ ...problem.headers })
    .type("application/problem+json; charset=utf-8")
    .send(JSON.stringify(renderProblem(problem, reply.request.id)));
}
