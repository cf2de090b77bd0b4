import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, describe, expect, test } from "@jest/globals";
import { npm, pnpm, yarn } from "./node-scenarios.ts";
import { createPlayground, type Playground, realTools } from "./playground.ts";
import type { Scenario } from "./scenario.ts";

/** The packages of a workspace and their dependencies, as the tool sees them. */
type Graph = Readonly<Record<string, readonly string[]>>;

interface Tool {
  readonly scenario: Scenario;
  /** Runs the real tool. */
  ask(run: (file: string, ...args: string[]) => Promise<string>): Promise<Graph>;
}

const bin = join(realTools, "node_modules/.bin");
const file = join(import.meta.dirname, "recorded/workspaces.json");

const tools: Readonly<Record<string, Tool>> = {
  npm: {
    scenario: npm,
    async ask(run) {
      await run("npm", "install", "--offline", "--ignore-scripts", "--no-audit");
      const { dependencies } = JSON.parse(await run("npm", "ls", "--all", "--json")) as Tree;
      return graphOf(Object.entries(dependencies ?? {}), ([name, tree]) => ({
        name,
        needs: Object.keys(tree.dependencies ?? {}),
      }));
    },
  },
  yarn: {
    scenario: yarn,
    async ask(run) {
      await run(join(bin, "yarn"), "install", "--no-immutable");
      const lines = (await run(join(bin, "yarn"), "workspaces", "list", "-v", "--json")).trim().split("\n");
      const listed = lines
        .map((line) => JSON.parse(line) as Listed)
        .filter(({ location }) => location !== ".");
      return graphOf(listed, ({ name, workspaceDependencies }) => ({
        name,
        needs: listed
          .filter(({ location }) => workspaceDependencies.includes(location))
          .map((one) => one.name),
      }));
    },
  },
  pnpm: {
    scenario: pnpm,
    async ask(run) {
      await run(join(bin, "pnpm"), "install", "--offline", "--ignore-scripts");
      const all = await run(join(bin, "pnpm"), "list", "--recursive", "--only-projects", "--json");
      const listed = (JSON.parse(all) as Project[]).filter(({ name }) => name !== "widgets");
      return graphOf(listed, (project) => ({
        name: project.name,
        needs: [project.dependencies, project.devDependencies, project.optionalDependencies]
          .flatMap((kind) => Object.values(kind ?? {}))
          .flatMap(({ path }) => listed.filter((other) => other.path === path).map((other) => other.name)),
      }));
    },
  },
};

interface Tree {
  readonly dependencies?: Readonly<Record<string, Tree>>;
}

interface Listed {
  readonly name: string;
  readonly location: string;
  readonly workspaceDependencies: readonly string[];
}

interface Project {
  readonly name: string;
  readonly path: string;
  readonly dependencies?: Readonly<Record<string, { path: string }>>;
  readonly devDependencies?: Project["dependencies"];
  readonly optionalDependencies?: Project["dependencies"];
}

function graphOf<T>(found: readonly T[], read: (one: T) => { name: string; needs: string[] }): Graph {
  return Object.fromEntries(
    found
      .map(read)
      .map(({ name, needs }) => [name, needs.sort()] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

const playgrounds: Playground[] = [];

afterEach(async () => {
  for (const playground of playgrounds.splice(0)) await playground.close();
});

async function open(scenario: Scenario): Promise<Playground> {
  const playground = await createPlayground(scenario);
  playgrounds.push(playground);
  return playground;
}

describe.each(Object.entries(tools))("the %s provider", (name, { scenario, ask }) => {
  test("finds the same packages and dependencies as the tool itself", async () => {
    const here = await open(scenario);
    const recorded = JSON.parse(await readFile(file, "utf8").catch(() => "{}"));
    if (realTools !== "") {
      // The real tool runs in another playground, because it leaves files behind.
      const { workspace: cwd, env } = await open(scenario);
      recorded[name] = await ask(async (program, ...args) => {
        const { stdout } = await promisify(execFile)(program, args, { cwd, env });
        return stdout;
      });
      await writeFile(file, `${JSON.stringify(recorded, null, 2)}\n`);
    }
    const graph: Graph = recorded[name];
    expect(Object.keys(graph)).toContain("@acme/e");
    for (const changed of Object.keys(graph)) {
      const folder = changed === "@acme/e" ? "packages/deep/e" : changed.replace("@acme", "packages");
      const change = { what: changed, changed: { [`${folder}/new.js`]: "1;\n" }, impacts: [] };
      const head = await here.propose(change.changed);
      expect(await here.impact({ provider: name }, head, change)).toEqual(dependentsOf(changed, graph));
    }
  });
});

function dependentsOf(changed: string, graph: Graph): string[] {
  const impacted = new Set([changed]);
  for (const name of impacted) {
    for (const [other, needs] of Object.entries(graph)) if (needs.includes(name)) impacted.add(other);
  }
  return [...impacted].sort();
}
