import { readFileSync } from "node:fs";
import { registerHooks, stripTypeScriptTypes } from "node:module";
import { resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Defect } from "./defects.ts";
import { withDefect } from "./with-defect.ts";

const root = pathToFileURL(`${resolve(import.meta.dirname, "../../..")}/`).href;
/** The engine, and the simulator that runs it. */
const trees = [`${root}src/`, `${root}tools/`];
const stripped = new Map<string, string>();
const planted = new Map<string, { readonly url: string; readonly text: string }>();

/**
 * A module of these trees that is imported by a URL with a query is loaded again, and so are its imports. So each defect has its own
 * engine and simulator in one process.
 */
registerHooks({
  resolve(specifier, context, nextResolve) {
    const resolved = nextResolve(specifier, context);
    const query = isOurs(context.parentURL) ? new URL(context.parentURL).search : "";
    return query !== "" && isOurs(resolved.url) ? { ...resolved, url: resolved.url + query } : resolved;
  },
  load(url, context, nextLoad) {
    const { search } = new URL(url);
    if (search === "" || !isOurs(url)) return nextLoad(url, context);
    const plain = url.slice(0, -search.length);
    const defect = planted.get(search);
    const text = defect?.url === plain ? stripTypeScriptTypes(defect.text) : healthy(plain);
    return { format: "module", source: text, shortCircuit: true };
  },
});

function isOurs(url: string | undefined): url is string {
  return trees.some((tree) => url?.startsWith(tree));
}

function healthy(url: string): string {
  const known = stripped.get(url) ?? stripTypeScriptTypes(readFileSync(fileURLToPath(url), "utf8"));
  stripped.set(url, known);
  return known;
}

/** The simulator over an engine with a defect. */
export async function plant(
  defect: Defect,
): Promise<typeof import("../../../tools/simulator/soak/run-seeds.ts")> {
  const url = `${root}src/engine/${defect.file}`;
  const query = `?${encodeURIComponent(defect.name)}`;
  const text = withDefect(defect, readFileSync(fileURLToPath(url), "utf8"));
  planted.set(new URL(query, root).search, { url, text });
  return import(`${root}tools/simulator/soak/run-seeds.ts${query}`);
}
