import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { FastifyInstance } from "fastify";

const packages = createRequire(import.meta.url);
const htmx = dirname(packages.resolve("htmx.org/dist/htmx.min.js"));
const uplot = dirname(packages.resolve("uplot"));

const assets = [
  ["htmx.min.js", "text/javascript", join(htmx, "htmx.min.js")],
  ["hx-sse.min.js", "text/javascript", join(htmx, "ext/hx-sse.min.js")],
  ["uPlot.iife.min.js", "text/javascript", join(uplot, "uPlot.iife.min.js")],
  ["uPlot.min.css", "text/css", join(uplot, "uPlot.min.css")],
  ["charts.js", "text/javascript", join(import.meta.dirname, "assets/charts.js")],
  ["charts.css", "text/css", join(import.meta.dirname, "assets/charts.css")],
  ["style.css", "text/css", join(import.meta.dirname, "assets/style.css")],
  ["tests.css", "text/css", join(import.meta.dirname, "assets/tests.css")],
  ["past.css", "text/css", join(import.meta.dirname, "assets/past.css")],
  ["past.js", "text/javascript", join(import.meta.dirname, "assets/past.js")],
  ["tracks.css", "text/css", join(import.meta.dirname, "assets/tracks.css")],
  ["tracks.js", "text/javascript", join(import.meta.dirname, "assets/tracks.js")],
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
