import { compileGlob } from "./glob.ts";
import type { PathRule } from "./path-rules.ts";

interface Matcher {
  readonly target: string;
  readonly pattern: RegExp;
  /** What every path that matches begins with. */
  readonly prefix: string;
}

/**
 * Finds the targets that rules name for paths. Fast for paths in the order in which git lists them: of those in one folder,
 * only the rules are tried that can match there.
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

  /** Adds the targets of a path to what is impacted. Answers whether any rule names the path. */
  addTargets(path: string, impacted: Set<string>): boolean {
    let isNamed = false;
    for (const { target, pattern } of this.#candidatesFor(path)) {
      // Of a target that is impacted already, only one rule has to be asked: whether the file is named at all.
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

/** `packages/a/` of `packages/a/**`. */
function literalPrefix(glob: string): string {
  return glob.replace(/^\.?\//, "").replace(/[\\*?[{].*$/su, "");
}
