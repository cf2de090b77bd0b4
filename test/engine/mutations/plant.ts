import { readFileSync } from "node:fs";
import { registerHooks, stripTypeScriptTypes } from "node:module";
import { resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { findFunction } from "./engine-module.ts";
import type { AnyFunction, Defect, Mutation } from "./mutation.ts";

const root = pathToFileURL(`${resolve(import.meta.dirname, "../../..")}/`).href;
/** The engine, and the simulator that runs it. */
const trees = [`${root}src/`, `${root}tools/`];
const stripped = new Map<string, string>();

/** A function to replace when its module is loaded. */
interface Replacement {
  readonly url: string;
  readonly place: string;
  readonly by: (original: AnyFunction) => AnyFunction;
  done: boolean;
}

/** The replacements of each defect, by the query of its modules' URLs. The modules read them. */
const planted = new Map<string, readonly Replacement[]>();
Object.assign(globalThis, { plantedDefects: planted });

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
    return { format: "module", source: healthy(plain) + assignments(plain, search), shortCircuit: true };
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

/**
 * Returns statements for the end of a module, which replace its functions. A function declaration is a variable, so the callers inside the
 * module and the modules that import it call the replacement.
 */
function assignments(url: string, query: string): string {
  const statements = (planted.get(query) ?? []).map(({ url: of, place }, index) =>
    of === url
      ? `\n${place} = globalThis.plantedDefects.get(${JSON.stringify(query)})[${index}].by(${place});`
      : "",
  );
  return statements.join("");
}

/**
 * The simulator over an engine with a defect.
 * @throws when a function that the defect replaces does not exist, or the simulator does not use its module
 */
export async function plant(
  defect: Defect,
): Promise<typeof import("../../../tools/simulator/soak/run-seeds.ts")> {
  const query = `?${encodeURIComponent(defect.name)}`;
  const replacements = defect.mutations.flatMap(replacementsOf);
  planted.set(new URL(query, root).search, replacements);
  const simulator = await import(`${root}tools/simulator/soak/run-seeds.ts${query}`);
  for (const { place, done } of replacements)
    if (!done) throw new Error(`the simulator does not use the function "${place}"`);
  return simulator;
}

function replacementsOf({ target, by, inside }: Mutation): Replacement[] {
  if (inside === undefined) return [replacement(findFunction(target), by)];
  let depth = 0;
  const counted = replacement(
    findFunction(inside),
    (original) =>
      function (this: unknown, ...args: never[]) {
        depth += 1;
        try {
          return original.apply(this, args);
        } finally {
          depth -= 1;
        }
      },
  );
  const limited = replacement(findFunction(target), (original) => {
    const mutant = by(original);
    return function (this: unknown, ...args: never[]) {
      return (depth > 0 ? mutant : original).apply(this, args);
    };
  });
  return [counted, limited];
}

function replacement(
  { url, place }: { readonly url: string; readonly place: string },
  by: Replacement["by"],
): Replacement {
  const one: Replacement = {
    url,
    place,
    done: false,
    by(original) {
      if (typeof original !== "function") throw new Error(`"${place}" is not a function of the engine`);
      one.done = true;
      return by(original);
    },
  };
  return one;
}
