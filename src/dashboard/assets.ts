import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { FastifyInstance } from "fastify";

const htmx = dirname(createRequire(import.meta.url).resolve("htmx.org/dist/htmx.min.js"));

const assets = [
  ["htmx.min.js", "text/javascript", join(htmx, "htmx.min.js")],
  ["hx-sse.min.js", "text/javascript", join(htmx, "ext/hx-sse.min.js")],
  ["style.css", "text/css", join(import.meta.dirname, "assets/style.css")],
  ["administration.css", "text/css", join(import.meta.dirname, "assets/administration.css")],
  ["icon.svg", "image/svg+xml", join(import.meta.dirname, "assets/icon.svg")],
] as const;

/** Serves scripts, styles and pictures: a few small files, kept in memory. */
export function serveAssets(app: FastifyInstance): void {
  for (const [name, type, path] of assets) {
    const content = readFileSync(path);
    app.get(`/assets/${name}`, (_request, reply) =>
      reply.header("cache-control", "public, max-age=3600").type(type).send(content),
    );
  }
}
