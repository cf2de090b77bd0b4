import { type Document, isMap, isScalar, LineCounter, parseDocument } from "yaml";
import * as z from "zod";
import { describeIssue } from "./describe-issue.ts";
import { nearestName } from "./nearest-name.ts";
import {
  noRepositoryFile,
  type RepositoryFile,
  repositoryFilePath,
  repositoryFilePaths,
  repositoryFileSchema,
} from "./repository-file.ts";

export interface FileProblem {
  /** From 1; null when the fault is not in the text. */
  readonly line: number | null;
  /** The key, as in `labels.submit`; "" for the file as a whole. */
  readonly key: string;
  readonly message: string;
}

export type ParsedRepositoryFile =
  | { readonly ok: true; readonly file: RepositoryFile }
  | { readonly ok: false; readonly path: string; readonly problems: readonly FileProblem[] };

/** The file is read into memory, and shown in checks. */
const maxLength = 64 * 1024;
const maxAliases = 20;

/**
 * Validates the repository file that was found. Never throws. A file that is not read (its name or place is wrong, or there are two) makes
 * the result invalid, because somebody relies on its rules.
 */
export function judgeRepositoryFile({
  path,
  text,
  strays,
}: {
  /** Null when there is no file. */
  readonly path: string | null;
  readonly text: string | null;
  /** Paths of files with a similar name or place, which are not read. */
  readonly strays: readonly string[];
}): ParsedRepositoryFile {
  const fault = (message: string) => invalid([{ line: null, key: "", message }], path ?? repositoryFilePath);
  const twin = strays.find((stray) => repositoryFilePaths.includes(stray));
  if (path !== null && twin !== undefined)
    return fault(`is there twice, and ${twin} is the other; remove one`);
  if (path !== null && text !== null) return parseRepositoryFile(text, path);
  if (strays.length === 0) return { ok: true, file: noRepositoryFile };
  const [stray] = strays;
  return fault(
    `is missing, and ${strays.join(" and ")} is not read; move it to ${repositoryFilePath}, or add an empty ${repositoryFilePath} if ${stray} is not for Trainyard`,
  );
}

/** Parses the file, or returns all of its faults. Never throws. */
export function parseRepositoryFile(text: string, path = repositoryFilePath): ParsedRepositoryFile {
  if (text.length > maxLength)
    return invalid([{ line: 1, key: "", message: `is longer than ${maxLength} characters` }], path);
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  if (document.errors.length > 0) {
    return invalid(
      document.errors.map(({ pos, message }) => ({
        line: lines.linePos(pos[0]).line,
        key: "",
        message: `is not valid YAML: ${message.split("\n")[0]?.replace(/ at line \d+, column \d+:$/, "") ?? ""}`,
      })),
      path,
    );
  }
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: maxAliases });
  } catch (error) {
    const message = `is not valid YAML: ${error instanceof Error ? error.message : error}`;
    return invalid([{ line: 1, key: "", message }], path);
  }
  if (value === null || value === undefined) return { ok: true, file: noRepositoryFile };
  const parsed = repositoryFileSchema.safeParse(value, { error: describeIssue });
  if (parsed.success) return { ok: true, file: parsed.data };
  const lineOf = (path: readonly PropertyKey[]) => lines.linePos(offsetOf(document, path)).line;
  const problems = parsed.error.issues.flatMap((issue) => toProblems(issue, lineOf));
  return invalid(
    problems.toSorted((a, b) => a.line - b.line),
    path,
  );
}

function toProblems(
  issue: z.core.$ZodIssue,
  lineOf: (path: readonly PropertyKey[]) => number,
): (FileProblem & { readonly line: number })[] {
  if (issue.code !== "unrecognized_keys") {
    return [{ line: lineOf(issue.path), key: issue.path.join("."), message: issue.message }];
  }
  const known = keysAt(issue.path);
  return issue.keys.map((key) => {
    const path = [...issue.path, key];
    const meant = nearestName(key, known);
    const hint = meant === null ? `known here: ${known.join(", ")}` : `did you mean ${meant}?`;
    return { line: lineOf(path), key: path.join("."), message: `is unknown; ${hint}` };
  });
}

/** Returns the keys that an object of the file may have. */
function keysAt(path: readonly PropertyKey[]): string[] {
  let schema = z.toJSONSchema(repositoryFileSchema, { io: "input" });
  for (const key of path) {
    const inner = typeof key === "number" ? schema.items : schema.properties?.[String(key)];
    schema = (inner ?? {}) as typeof schema;
  }
  return Object.keys(schema.properties ?? {});
}

/** Returns the offset of a key, or of its nearest existing parent. */
function offsetOf(document: Document.Parsed, path: readonly PropertyKey[]): number {
  for (let depth = path.length; depth > 0; depth--) {
    const parent = depth === 1 ? document.contents : document.getIn(path.slice(0, depth - 1), true);
    const last = path[depth - 1];
    if (isMap(parent)) {
      const pair = parent.items.find(({ key }) => isScalar(key) && String(key.value) === String(last));
      if (isScalar(pair?.key) && pair.key.range) return pair.key.range[0];
    }
    const node = document.getIn(path.slice(0, depth), true);
    if ((isScalar(node) || isMap(node)) && node.range) return node.range[0];
  }
  return 0;
}

function invalid(problems: readonly FileProblem[], path: string): ParsedRepositoryFile {
  return { ok: false, path, problems };
}

/** Renders the first faults in one line of text, for answers. */
export function renderProblems(problems: readonly FileProblem[]): string {
  return problems
    .slice(0, 5)
    .map(({ line, key, message }) => {
      const fault = `${key === "" ? "it" : key} ${message}`;
      return line === null ? fault : `line ${line}: ${fault}`;
    })
    .join("; ");
}

/** The name of the schema's file. The service and Trainyard's repository (under `docs/`) publish it. */
export const schemaFileName = "trainyard.schema.json";

/** Returns the JSON Schema of `.github/trainyard.yml`, for editors. */
export function repositoryFileJsonSchema(): object {
  const { $schema, ...schema } = z.toJSONSchema(repositoryFileSchema, { io: "input" });
  return { $schema, title: repositoryFilePath, ...schema };
}
