import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describe, expect, test } from "@jest/globals";

const root = resolve(import.meta.dirname, "..");
/** The production code, and the tools that test, show and measure it. */
const trees = ["src", "tools"];

interface Import {
  readonly from: string;
  readonly target: string;
  readonly typesOnly: boolean;
  /** Whether the import is loaded only when the code runs. */
  readonly lazy: boolean;
}

/**
 * The layers and packages that each layer may import (exact package names; a trailing `*` is a prefix). A
 * layer is a folder of `src`, or a folder of `tools`, whose name includes the tree.
 */
const layers: Readonly<
  Record<string, { layers: readonly string[]; types?: readonly string[]; packages: readonly string[] }>
> = {
  engine: { layers: [], packages: [] },
  command: { layers: ["engine"], packages: ["markdown-it", "yaml", "zod"] },
  flaky: { layers: [], packages: ["saxes"] },
  ports: { layers: ["engine", "flaky"], packages: [] },
  service: {
    layers: ["engine", "command", "flaky", "ports"],
    types: ["store", "flaky/store"],
    packages: ["node:async_hooks", "node:crypto"],
  },
  store: { layers: ["engine", "flaky", "ports"], packages: ["dataloader", "kysely", "node:*", "pg"] },
  "flaky/store": { layers: ["engine", "flaky", "ports", "store"], packages: ["kysely", "node:*"] },
  "flaky/service": {
    layers: ["engine", "command", "flaky", "ports", "service"],
    types: ["store", "flaky/store"],
    packages: ["node:async_hooks", "node:crypto"],
  },
  "flaky/endpoints": {
    layers: ["engine", "command", "flaky", "service", "flaky/service", "api"],
    types: ["ports", "store", "flaky/store"],
    packages: ["fastify", "fastify-plugin", "modern-tar", "zod", "node:*"],
  },
  "flaky/pages": {
    layers: ["engine", "flaky", "service", "flaky/service", "dashboard"],
    types: ["ports", "flaky/store"],
    packages: ["fastify", "ghtml"],
  },
  github: {
    layers: ["engine", "command", "ports"],
    packages: [
      "@octokit/*",
      "jose",
      "oauth4webapi",
      "zod",
      "node:async_hooks",
      "node:crypto",
      "node:timers/promises",
      // Only `stripVTControlCharacters`.
      "node:util",
    ],
  },
  receivers: {
    layers: ["ports"],
    types: ["store"],
    packages: ["ipaddr.js", "node:dns", "node:http", "node:https", "node:net"],
  },
  client: { layers: [], packages: [] },
  api: {
    layers: ["engine", "command", "flaky", "service"],
    types: ["ports", "store", "flaky/service"],
    packages: ["fastify", "fastify-plugin", "@fastify/*", "modern-tar", "zod", "node:*"],
  },
  bot: {
    layers: ["engine", "command", "service", "client"],
    types: ["ports", "store"],
    packages: ["probot", "zod", "fastify", "fastify-plugin", "node:crypto"],
  },
  dashboard: {
    layers: ["engine", "flaky", "service"],
    types: ["ports", "store", "replay", "flaky/service"],
    packages: ["fastify", "fastify-plugin", "@fastify/*", "ghtml", "node:*"],
  },
  action: {
    layers: ["client", "engine", "command", "flaky"],
    packages: ["@actions/*", "node:*", "strip-json-comments", "yaml"],
  },
  mcp: {
    layers: ["api", "client", "engine"],
    packages: ["@modelcontextprotocol/server", "fastify", "fastify-plugin", "node:*", "zod"],
  },
  replay: { layers: ["engine"], packages: ["node:crypto"] },
  cli: { layers: ["*"], packages: ["*"] },
  settings: { layers: [], packages: ["zod", "node:crypto", "node:fs"] },
  "main.ts": { layers: ["cli"], packages: ["node:module"] },
  "tools/sandbox": { layers: [], packages: ["*"] },
  "tools/command-options.ts": { layers: [], packages: ["commander"] },
  "tools/lab": {
    layers: [
      "client",
      "command",
      "service",
      "store",
      "engine",
      "replay",
      "cli",
      "tools/command-options.ts",
      "tools/sandbox",
      "tools/simulator",
    ],
    packages: ["@octokit/rest", "commander", "pg", "node:*"],
  },
  "tools/live": {
    layers: ["command", "github", "settings"],
    packages: ["@octokit/*", "commander", "node:*", "zod"],
  },
  "tools/simulator": {
    layers: [
      "engine",
      "command",
      "flaky",
      "flaky/service",
      "flaky/store",
      "ports",
      "replay",
      "service",
      "store",
      "github",
      "api",
      "cli",
      "settings",
      "tools/command-options.ts",
    ],
    packages: ["@octokit/*", "commander", "kysely", "node:*"],
  },
};

/** Put a layer together with the rooms of flaky tests that stand on it; only these files know both. */
const joins: Readonly<Record<string, readonly string[]>> = {
  "flaky/store": ["src/store/create-stores.ts", "src/store/sqlite/schema.ts"],
  "flaky/service": ["src/service/create-service.ts"],
  "flaky/endpoints": [
    "src/api/endpoints.ts",
    "src/api/serve-endpoints.ts",
    "src/api/openapi/examples.ts",
    "src/api/openapi/schemas.ts",
  ],
  "flaky/pages": ["src/dashboard/dashboard-plugin.ts"],
};

/** The only file of `src` that may import `tools`, and only when a command needs it. */
const toolLoader = "src/cli/load-tool.ts";

const files = trees.flatMap((tree) =>
  readdirSync(join(root, tree), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => `${tree}/${name}`),
);

describe("the import graph", () => {
  test("assigns every file to a known layer", () => {
    expect([...new Set(files.map(layerOf))].filter((layer) => !(layer in layers))).toEqual([]);
  });

  test("reaches from the service only packages that npm ci --omit=dev installs", () => {
    const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    const missing = files
      .filter((file) => file.startsWith("src/") && layerOf(file) !== "action")
      .flatMap(importsOf)
      .filter(({ target }) => !files.includes(target) && !/^(node:|migrations\/)/.test(target))
      .filter(({ target }) => !Object.keys(dependencies).some((name) => matches(name, target)));
    expect(missing.map(show)).toEqual([]);
  });

  test("contains only imports that the layer table allows", () => {
    expect(
      files
        .flatMap(importsOf)
        .filter((found) => !isAllowed(found))
        .map(show),
    ).toEqual([]);
  });

  test("contains no import of an entry point", () => {
    const entries = files.flatMap(importsOf).filter(({ target }) => target === "src/main.ts");
    expect(entries.map(show)).toEqual([]);
  });

  test("leads from src to tools only in the loader of commands, and only lazily", () => {
    const found = files
      .flatMap(importsOf)
      .filter(({ from, target }) => from.startsWith("src/") && target.startsWith("tools/"));
    expect(found.length).toBeGreaterThan(0);
    expect(found.filter(({ from, lazy }) => from !== toolLoader || !lazy).map(show)).toEqual([]);
  });

  test("shows no runtime export of the ports", () => {
    const runtime = files
      .filter((file) => layerOf(file) === "ports")
      .filter((file) => /^export (?!interface|type )/m.test(read(file)));
    expect(runtime).toEqual([]);
  });
});

/** What the rooms of the engine may import besides themselves, `reasons`, `model` and `assert-never.ts`. */
const engineRooms: Readonly<Record<string, readonly string[]>> = {
  collections: [],
  reasons: [],
  model: ["collections"],
  forecast: [],
  fold: ["forecast"],
  lifecycle: ["decision.ts", "policy.ts"],
  policies: [
    "collections",
    "decision.ts",
    "explain/explain-link.ts",
    "fold",
    "lifecycle",
    "policy.ts",
    "policy-fold.ts",
  ],
  explain: ["fold", "lifecycle", "policies/policy-of.ts"],
};

describe("the rooms of the engine", () => {
  const engine = files.filter((file) => layerOf(file) === "engine");
  const imports = new Map(engine.map((file) => [file, importsOf(file).map(({ target }) => target)]));

  test("import only what the table allows", () => {
    const wrong = engine.flatMap(importsOf).filter(({ from, target }) => {
      const [room, path] = [roomOf(from), target.replace("src/engine/", "")];
      const allowed = [room, "reasons", "model", "assert-never.ts", ...(engineRooms[room] ?? [])];
      return room in engineRooms && !allowed.some((name) => matches(name, path));
    });
    expect(wrong.map(show)).toEqual([]);
  });

  test("know of each policy only what policies/ offers", () => {
    const found = files.flatMap(importsOf).filter(({ from, target }) => {
      const isInside = target.startsWith("src/engine/policies/") && target.split("/").length > 4;
      return isInside && from.startsWith("src/") && !from.startsWith("src/engine/policies/");
    });
    expect(found.map(show)).toEqual([]);
  });

  test("ask in policies/ for the mode only where a policy or its fold is chosen", () => {
    const asking = engine.filter((file) => file.includes("/policies/") && /\busesLanes\b/.test(read(file)));
    expect(asking.map((file) => file.split("/").at(-1))).toEqual(["fold-of.ts", "policy-of.ts"]);
  });

  const reachedFrom = (start: string) => {
    const reached = new Set([start]);
    for (const file of reached) for (const next of imports.get(file) ?? []) reached.add(next);
    return [...reached];
  };

  test("keep every decider out of the fold", () => {
    const reached = reachedFrom("src/engine/evolve.ts");
    expect(reached.filter((file) => /decision\.ts$|\/lifecycle\//.test(file))).toEqual([]);
  });

  test("let `decide` reach at most 100 files, those of its types included", () => {
    expect(reachedFrom("src/engine/decide.ts").length).toBeLessThanOrEqual(100);
  });

  test("contain no circle of more than two files", () => {
    expect(circlesOf(imports).filter((circle) => circle.length > 2)).toEqual([]);
  });
});

/** The floors of the service, the lowest first. A room may import the rooms below it, and itself. */
const serviceFloors = [
  "workers",
  "replicas",
  "access",
  "doctor",
  "runtime",
  "webhooks",
  "metrics",
  "observation",
  "status",
  "tasks",
  "queues",
  "create-service.ts",
];

test("the rooms of the service import only the floors below them", () => {
  const floorOf = (file: string) => serviceFloors.indexOf(roomOf(file));
  const service = files.filter((file) => layerOf(file) === "service");
  expect(service.filter((file) => floorOf(file) < 0)).toEqual([]);
  const upwards = service
    .flatMap(importsOf)
    .filter(({ from, target }) => layerOf(target) === "service" && floorOf(target) > floorOf(from));
  expect(upwards.map(show)).toEqual([]);
});

/** `model` for `src/engine/model/entry.ts`, `decide.ts` for `src/engine/decide.ts`. */
function roomOf(file: string): string {
  return file.split("/")[2] ?? "";
}

/** The groups of files that import each other, directly or not (Tarjan). */
function circlesOf(imports: ReadonlyMap<string, readonly string[]>): string[][] {
  const circles: string[][] = [];
  const order = new Map<string, number>();
  const open: string[] = [];
  const visit = (file: string): number => {
    const own = order.size;
    order.set(file, own);
    open.push(file);
    let low = own;
    for (const next of imports.get(file) ?? []) {
      if (!imports.has(next)) continue;
      if (!order.has(next)) low = Math.min(low, visit(next));
      else if (open.includes(next)) low = Math.min(low, order.get(next) ?? low);
    }
    if (low === own) circles.push(open.splice(open.indexOf(file)));
    return low;
  };
  for (const file of imports.keys()) if (!order.has(file)) visit(file);
  return circles.filter((circle) => circle.length > 1);
}

describe("the pure layers", () => {
  const pure = files.filter((file) => ["engine", "command", "flaky"].includes(layerOf(file)));

  test.each([
    ["a clock", /\bDate\.now\(|\bnew Date\(\)|\bperformance\.now\(/],
    ["randomness", /\bMath\.random\(|\brandomUUID\(/],
    ["asynchronous code", /\basync\b|\bawait\b|\bsetTimeout\(|\bPromise\b/],
    ["the process", /\bprocess\.|\bconsole\./],
  ])("do not use %s", (_what, pattern) => {
    expect(pure.filter((file) => pattern.test(withoutComments(read(file))))).toEqual([]);
  });
});

describe("the source tree", () => {
  test("has no file or folder for miscellaneous code", () => {
    const named = files.filter((file) => /(^|\/)(utils?|helpers?|common|misc|types)(\/|\.ts$)/.test(file));
    expect(named).toEqual([]);
  });

  test("has no folder of production code called `tests`, which tools and newcomers skip", () => {
    expect(files.filter((file) => /^(src|tools)\/.*\/?tests\//.test(file))).toEqual([]);
  });

  test("compares names that GitHub treats as equal in one place", () => {
    const own = /(owner|organisation|login|label|repository|full_name)[^\n;,]{0,40}\.toLowerCase\(\)/i;
    const equal =
      /\b\w*([lL]ogin|[oO]wner|[lL]abel|submittedBy) [!=]== (?!null|undefined|ghost|")|[!=]== (\w+\??\.)*(login|owner|label)\b/;
    const asks = ["src/flaky/", "src/client/", "src/settings/", "src/engine/model/names.ts"];
    const others = files.filter(
      (file) => file.startsWith("src/") && !asks.some((own) => file.startsWith(own)),
    );
    const code = (file: string) => withoutComments(read(file));
    expect(others.filter((file) => own.test(code(file)) || equal.test(code(file)))).toEqual([]);
  });

  test("has no file of more than 300 lines", () => {
    const written = files.filter((file) => !file.includes("/generated/"));
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
  return statements.map(([statement, type, specifier = ""]) => ({
    from: file,
    target: specifier.startsWith(".") ? join(dirname(file), specifier) : specifier,
    typesOnly: type?.trim() === "type",
    lazy: statement.startsWith("import("),
  }));
}

function isAllowed({ from, target, typesOnly }: Import): boolean {
  const rule = layers[layerOf(from)];
  if (!rule) return false;
  const types = typesOnly ? (rule.types ?? []) : [];
  if (target.startsWith("migrations/")) return layerOf(from) === "store";
  if (!files.includes(target)) return [...rule.packages, ...types].some((name) => matches(name, target));
  const layer = layerOf(target);
  if (layer === layerOf(from) || joins[layer]?.includes(from)) return true;
  if (layer.startsWith("tools/") && from.startsWith("src/")) return from === toolLoader;
  return [...rule.layers, ...types].some((name) => name === "*" || name === layer);
}

function matches(pattern: string, name: string): boolean {
  if (pattern.endsWith("*")) return name.startsWith(pattern.slice(0, -1));
  return name === pattern || name.startsWith(`${pattern}/`);
}

/**
 * Returns `engine` for `src/engine/model/entry.ts`, `tools/lab` for `tools/lab/lab.ts`, and `flaky/store` for
 * `src/flaky/store/test-schema.ts`.
 */
function layerOf(file: string): string {
  const [tree = "", folder = "", room = ""] = file.split("/");
  if (`${folder}/${room}` in layers) return `${folder}/${room}`;
  return tree === "src" ? folder : `${tree}/${folder}`;
}

function read(file: string): string {
  return readFileSync(join(root, file), "utf8");
}

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, "").replaceAll(/\/\/.*/g, "");
}

function show({ from, target }: Pick<Import, "from" | "target">): string {
  return `${from} → ${target}`;
}
