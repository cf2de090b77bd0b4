import { compileGlob } from "./glob.ts";
import type { PathRule } from "./path-rules.ts";

interface Matcher {
  readonly target: string;
  readonly pattern: RegExp;
  /** The literal beginning of the glob. Every path that matches begins with it. */
  readonly prefix: string;
}

/**
 * Finds the targets that rules name for paths. Fast for paths in the order in which git lists them: in each folder, only those
 * rules are tried that can match there.
 */
export class PathMatcher {
  readonly #matchers: readonly Matcher[];
  #folder: string | null = null;
  #candidates: readonly Matcher[] = [];

  constructor(rules: readonly PathRule[]) {
    this.#matchers = rules.flatMap(({ target, globs }) =>
      globs.map((glob) => ({ target, pattern: compileGlob(glob), prefix: literalPrefix(glob) })),
    );
  }

  /** Whether any rule names the path. */
  names(path: string): boolean {
    return this.#candidatesFor(path).some(({ pattern }) => pattern.test(path));
  }

  /** Adds the targets of a path to the impacted ones. Returns whether any rule names the path. */
  addTargets(path: string, impacted: Set<string>): boolean {
    let isNamed = false;
    for (const { target, pattern } of this.#candidatesFor(path)) {
      // Once the path is named, rules of targets that are impacted already can be skipped.
      if ((isNamed && impacted.has(target)) || !pattern.test(path)) continue;
      isNamed = true;
      impacted.add(target);
    }
    return isNamed;
  }

  #candidatesFor(path: string): readonly Matcher[] {
    const folder = path.slice(0, path.lastIndexOf("/") + 1);
    if (folder !== this.#folder) {
      this.#folder = folder;
      this.#candidates = this.#matchers.filter(
        ({ prefix }) => prefix.startsWith(folder) || folder.startsWith(prefix),
      );
    }
    return this.#candidates;
  }
}

/** Returns `packages/a/` for `packages/a/**`. */
function literalPrefix(glob: string): string {
  return glob.replace(/^\.?\//, "").replace(/[\\*?[{].*$/su, "");
}
