import { hash } from "node:crypto";
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

interface Asset {
  readonly type: string;
  readonly content: Uint8Array;
  readonly version: string;
}

let loaded: ReadonlyMap<string, Asset> | null = null;

/** A few small files, which are read once and kept in memory. */
function loadAssets(): ReadonlyMap<string, Asset> {
  loaded ??= new Map(
    assets.map(([name, type, path]) => {
      const content = readFileSync(path);
      return [name, { type, content, version: hash("sha256", content).slice(0, 12) }];
    }),
  );
  return loaded;
}

/** Returns the path of a script, style or picture. It contains the version, so that no browser uses an earlier one after an update. */
export function assetPath(name: string): string {
  const version = loadAssets().get(name)?.version;
  if (version === undefined) throw new Error(`there is no asset ${name}`);
  return `/assets/${name}?v=${version}`;
}

export function serveAssets(app: FastifyInstance): void {
  // Browsers ask for it beside an answer in JSON, which names no icon.
  app.get("/favicon.ico", (_request, reply) => reply.code(204).send());
  for (const [name, { type, content, version }] of loadAssets())
    app.get<{ Querystring: { v?: unknown } }>(`/assets/${name}`, ({ query }, reply) => {
      // While replicas are updated, a replica may be asked for an asset that only another version has.
      const isCurrent = query.v === version;
      reply.header("cache-control", isCurrent ? "public, max-age=31536000, immutable" : "no-cache");
      return reply.type(type).send(content);
    });
}
