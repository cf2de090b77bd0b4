import { nameKey } from "../../engine/model/names.ts";
import type { RepositoryRef } from "../../engine/model/queue.ts";

/**
 * The directories where CI systems check out a repository. File paths in reports may start with them.
 * Sources: documentation of GitHub Actions and GitLab.
 */
const workspaces = [
  /^(?:[a-z]:)?\/(?:home\/runner\/work|__w|Users\/runner\/work|a|actions-runner\/_work)\/[^/]+\/[^/]+\//i,
  /^\/github\/workspace\//,
  /^\/builds\/[^/]+\/[^/]+\//,
];

/** The location of a test according to its report. */
export interface ReportedLocation {
  readonly file: string | null;
  readonly classname: string | null;
}

/**
 * The path of a test's file from the repository's root; null when the report does not determine it. Surefire, pytest's `xunit2` and
 * gotestsum report no file. For these, the path is derived from the class or package by the convention of the language.
 */
export function repositoryPathOf({ file, classname }: ReportedLocation, repo: RepositoryRef): string | null {
  // Vitest and Playwright report the file in `classname`.
  const written = file ?? (isPath(classname) ? classname : null);
  if (!written) return file === null && classname !== null ? conventionalPath(classname, repo) : null;
  const path = written.replaceAll("\\", "/");
  const workspace = workspaces.find((one) => one.test(path));
  const within = workspace ? path.replace(workspace, "") : path.replace(/^(?:\.\/)+/, "");
  return within === "" || within.startsWith("/") || within.startsWith("../") ? null : within;
}

function isPath(text: string | null): text is string {
  return text !== null && /[/\\]/.test(text) && /\.\w{1,8}$/.test(text) && !/\s/.test(text);
}

function conventionalPath(classname: string, repo: RepositoryRef): string | null {
  return pythonPath(classname) ?? javaPath(classname) ?? goPath(classname, repo);
}

/** `tests.unit.test_widget.TestTurning`: test modules are named `test_…` or `…_test`. */
function pythonPath(classname: string): string | null {
  const names = classname.split(".");
  const module = names.findIndex((name) => /^test_|_test$/.test(name));
  if (module === -1 || !names.every((name) => /^\w+$/.test(name))) return null;
  return `${names.slice(0, module + 1).join("/")}.py`;
}

/** `com.acme.WidgetTest$Turning`: lower-case packages, then a class. */
function javaPath(classname: string): string | null {
  const [, name] = /^((?:[a-z]\w*\.)+[A-Z]\w*)(?:\$.*)?$/.exec(classname) ?? [];
  return name === undefined ? null : `src/test/java/${name.replaceAll(".", "/")}.java`;
}

/**
 * `github.com/acme/widgets/internal/pay`: a package of the repository's own module, possibly with a major
 * version suffix.
 */
function goPath(classname: string, { host, owner, name }: RepositoryRef): string | null {
  const root = nameKey(`${host}/${owner}/${name}`);
  const path = classname.toLowerCase();
  if (path !== root && !path.startsWith(`${root}/`)) return null;
  const folders = classname
    .slice(root.length)
    .replace(/^\/v\d+(?=\/|$)/, "")
    .split("/")
    .filter(Boolean);
  return [...folders, `${folders.at(-1) ?? name}_test.go`].join("/");
}
