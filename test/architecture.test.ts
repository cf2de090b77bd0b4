import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, test } from "@jest/globals";

const root = resolve(import.meta.dirname, "..");
const src = join(root, "src");

interface Import {
  readonly from: string;
  readonly target: string;
  readonly typesOnly: boolean;
}

/** What each layer may import: other layers, and packages (exact names; a trailing `*` is a prefix). */
const layers: Readonly<
  Record<string, { layers: readonly string[]; types?: readonly string[]; packages: readonly string[] }>
> = {
  engine: { layers: [], packages: [] },
  command: { layers: ["engine"], packages: ["markdown-it", "yaml", "zod"] },
  flaky: { layers: [], packages: [] },
  ports: { layers: ["engine", "flaky"], packages: [] },
  service: { layers: ["engine", "command", "flaky", "ports"], packages: ["node:crypto"] },
  store: { layers: ["engine", "flaky", "ports"], packages: ["kysely", "node:*"] },
  github: {
    layers: ["engine", "ports"],
    packages: ["@octokit/*", "jose", "zod", "node:async_hooks", "node:crypto", "node:timers/promises"],
  },
  receivers: {
    layers: ["ports"],
    packages: ["ipaddr.js", "node:dns", "node:http", "node:https", "node:net"],
  },
  client: { layers: [], packages: [] },
  api: {
    layers: ["engine", "command", "flaky", "service"],
    types: ["ports"],
    packages: ["fastify", "fastify-plugin", "@fastify/*", "modern-tar", "zod", "node:*"],
  },
  bot: {
    layers: ["engine", "command", "service", "client"],
    types: ["ports"],
    packages: ["probot", "zod", "fastify", "fastify-plugin", "node:crypto"],
  },
  dashboard: {
    layers: ["engine", "flaky", "service"],
    types: ["ports"],
    packages: ["fastify", "fastify-plugin", "@fastify/*", "ghtml", "node:*"],
  },
  action: {
    layers: ["client", "engine", "command"],
    packages: ["@actions/*", "node:*", "strip-json-comments", "yaml"],
  },
  sandbox: { layers: [], packages: ["*"] },
  demo: { layers: ["client", "sandbox", "service", "store", "cli"], packages: ["@octokit/rest", "node:*"] },
  live: { layers: ["github", "settings"], packages: ["@octokit/*", "node:*", "zod"] },
  simulate: { layers: ["engine", "flaky", "ports", "service"], packages: ["node:*"] },
  cli: { layers: ["*"], packages: ["*"] },
  settings: { layers: [], packages: ["zod", "node:fs"] },
  "main.ts": { layers: ["*"], packages: ["*"] },
};

const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));

describe("the import graph", () => {
  test("every file stands in a known layer", () => {
    expect([...new Set(files.map(layerOf))].filter((layer) => !(layer in layers))).toEqual([]);
  });

  test("goes only where the layer table allows", () => {
    expect(
      files
        .flatMap(importsOf)
        .filter((found) => !isAllowed(found))
        .map(show),
    ).toEqual([]);
  });

  test("nobody imports an entry point", () => {
    const entries = files.flatMap(importsOf).filter(({ target }) => target === "main.ts");
    expect(entries.map(show)).toEqual([]);
  });

  test("ports export nothing at run time", () => {
    const runtime = files
      .filter((file) => layerOf(file) === "ports")
      .filter((file) => /^export (?!interface|type )/m.test(read(file)));
    expect(runtime).toEqual([]);
  });
});

describe("the pure layers", () => {
  const pure = files.filter((file) => ["engine", "command", "flaky"].includes(layerOf(file)));

  test.each([
    ["a clock", /\bDate\.now\(|\bnew Date\(\)|\bperformance\.now\(/],
    ["chance", /\bMath\.random\(|\brandomUUID\(/],
    ["waiting", /\basync\b|\bawait\b|\bsetTimeout\(|\bPromise\b/],
    ["the process", /\bprocess\.|\bconsole\./],
  ])("know no %s", (_what, pattern) => {
    expect(pure.filter((file) => pattern.test(withoutComments(read(file))))).toEqual([]);
  });
});

describe("the house", () => {
  test("has no room for odds and ends", () => {
    const named = files.filter((file) => /(^|\/)(utils?|helpers?|common|misc|types)(\/|\.ts$)/.test(file));
    expect(named).toEqual([]);
  });

  test("has no file of more than 300 lines", () => {
    const written = files.filter((file) => file !== "client/api.ts");
    expect(written.filter((file) => read(file).split("\n").length > 301)).toEqual([]);
  });
});

function importsOf(file: string): Import[] {
  const text = read(file);
  const statements = [
    ...text.matchAll(/^(?:import|export)\s+(type\s)?[^;]*?\bfrom\s+"([^"]+)"/gm),
    ...text.matchAll(/^(?:import)(\s)"([^"]+)"/gm),
    ...text.matchAll(/\bimport(\()"([^"]+)"\)/g),
  ];
  return statements.map(([, type, specifier = ""]) => ({
    from: file,
    target: specifier.startsWith(".") ? relative(src, resolve(src, dirname(file), specifier)) : specifier,
    typesOnly: type?.trim() === "type",
  }));
}

function isAllowed({ from, target, typesOnly }: Import): boolean {
  const rule = layers[layerOf(from)];
  if (!rule) return false;
  const isFile = files.includes(target) || target.startsWith("..");
  const types = typesOnly ? (rule.types ?? []) : [];
  if (!isFile) return [...rule.packages, ...types].some((name) => matches(name, target));
  if (target.startsWith("..")) return layerOf(from) === "store" && target.startsWith("../migrations/");
  const layer = layerOf(target);
  if (layer === layerOf(from)) return true;
  return [...rule.layers, ...types].some((name) => name === "*" || name === layer);
}

function matches(pattern: string, name: string): boolean {
  if (pattern.endsWith("*")) return name.startsWith(pattern.slice(0, -1));
  return name === pattern || name.startsWith(`${pattern}/`);
}

function layerOf(file: string): string {
  return file.split("/")[0] ?? "";
}

function read(file: string): string {
  return readFileSync(join(src, file), "utf8");
}

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, "").replaceAll(/\/\/.*/g, "");
}

function show({ from, target }: Import): string {
  return `${from} → ${target}`;
}
