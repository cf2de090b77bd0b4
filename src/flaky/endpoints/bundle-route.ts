import { PassThrough, Readable } from "node:stream";
import type { FastifyInstance, FastifyPluginAsync } from "fastify";
import fastifyPlugin from "fastify-plugin";
import { unknownQuery } from "../../api/problems/field-errors.ts";
import { sendProblem } from "../../api/problems/handle-error.ts";
import { ProblemError, refusalProblem } from "../../api/problems/problem.ts";
import { isSameName } from "../../engine/model/names.ts";
import type { Bundles } from "../service/uploads/bundles.ts";
import type { TestRepository } from "../store/uploads/upload-records.ts";
import { openBundle } from "./read-bundle.ts";
import { presentUpload } from "./uploads.ts";

export const bundlePath = "/metrics/bundles";

/** Receives bundles of Trunk's uploader. The address, which createBundleUpload returns, is the uploader's only credential. */
export function bundleRoute(bundles: Pick<Bundles, "admit" | "leave">): FastifyPluginAsync {
  const plugin: FastifyPluginAsync = async (app: FastifyInstance) => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser("*", (_request, payload, done) => done(null, payload));
    app.decorateRequest("bundleOf");
    app.put<{ Params: { id: string }; Querystring: { key?: string } }>(
      `${bundlePath}/:id`,
      {
        bodyLimit: 20 * 1024 * 1024,
        onRequest: async (request) => {
          const { id } = request.params;
          const repository = await bundles.admit(id, String(request.query.key ?? ""));
          if (!repository) throw notValid();
          const unknown = unknownQuery(request.query, ["key"]);
          if (unknown) throw new ProblemError(unknown);
          request.setDecorator("bundleOf", repository);
        },
      },
      async (request, reply) => {
        const repository = request.getDecorator<TestRepository>("bundleOf");
        const payload = (request.body as Readable | undefined) ?? Readable.from([]);
        const outcome = await readBeside(payload, async (pieces) => {
          const bundle = await openBundle(pieces);
          if (!isSame(repository, bundle.repo)) throw notValid();
          return bundles.leave(repository, bundle);
        });
        return outcome.ok
          ? presentUpload(outcome.value)
          : sendProblem(reply, refusalProblem(outcome.refusal));
      },
    );
  };
  return fastifyPlugin(plugin, { name: "bundles", encapsulate: true });
}

function isSame({ repo }: TestRepository, other: { owner: string; name: string }): boolean {
  return isSameName(`${repo.owner}/${repo.name}`, `${other.owner}/${other.name}`);
}

function notValid(): ProblemError {
  return new ProblemError({
    code: "BUNDLE_ADDRESS_NOT_VALID",
    detail:
      "This address does not accept a bundle of this repository, or has expired. Request an address with metrics/createBundleUpload; it is valid for an hour.",
  });
}

/**
 * Lets `read` consume the part of a body that it needs, then discards the rest. Without that, a client that is still sending would miss the
 * answer.
 */
async function readBeside<Value>(
  payload: Readable,
  read: (pieces: AsyncIterable<Buffer>) => Promise<Value>,
): Promise<Value> {
  const pieces = new PassThrough();
  const cutOff = (error?: Error) => void pieces.destroy(error ?? new Error("the body was cut off"));
  pieces.on("error", () => {});
  payload.on("error", cutOff).once("close", () => payload.readableEnded || cutOff());
  payload.pipe(pieces);
  try {
    return await read(pieces);
  } finally {
    payload.unpipe(pieces).resume();
    pieces.destroy();
  }
}
