import { isSameName } from "../engine/model/names.ts";

/** The maximum number of dependencies that are read of one pull request. A line with more of them is refused. */
const maxDependencies = 20;
/** The maximum number of lines that are quoted as unreadable, and of characters of each. */
const maxQuoted = 3;
const maxQuotedLength = 100;

/** What a description says about dependencies. */
export interface DeclaredDependencies {
  /** Pull requests of the same repository, ascending. */
  readonly own: readonly number[];
  /** Pull requests of other repositories (`owner/repo#5`), sorted. */
  readonly foreign: readonly string[];
  /** Lines that begin like a dependency, but do not name pull requests in a way that can be read. */
  readonly unreadable: readonly string[];
}

/**
 * Reads the dependencies that a description declares: `Depends-On: #12` in any case, with or without hyphen and colon, with several
 * references, emphasis, in a list, a table row, an alert or a heading with a list below. A reference is `#12`, `owner/repo#12`, or an
 * address. Comments, code blocks, quotations and deleted text are not read. In collapsed sections, only `Depends-On:` is read. A sentence
 * without a reference is prose.
 *
 * @param url the address of the pull request itself
 */
export function parseDependsOn(description: string, url: string): DeclaredDependencies {
  const own = new Set<number>();
  const foreign = new Set<string>();
  const unreadable: string[] = [];
  /** The heading of the current list. */
  let list: Heading | null = null;
  for (const { raw, isFolded } of ownLines(description)) {
    const read = readLine(raw, list);
    if (read === "ends_list") list = null;
    if (typeof read === "string") continue;
    // Bots put release notes of other projects into collapsed sections, so only labelled dependencies count there.
    if (isFolded && !read.isLabelled) continue;
    list = read.opens ?? list;
    const references = read.references.map((reference) => locate(reference, url));
    const isReadable = read.isReadable && !references.includes(null);
    for (const found of isReadable ? references : []) {
      if (typeof found === "number") own.add(found);
      else if (found !== null) foreign.add(found);
    }
    if (!isReadable || own.size + foreign.size > maxDependencies) unreadable.push(quoted(raw));
  }
  return {
    own: [...own].sort((a, b) => a - b).slice(0, maxDependencies),
    foreign: [...foreign].sort().slice(0, maxDependencies),
    unreadable: unreadable.slice(0, maxQuoted),
  };
}

const quoted = (line: string) => line.trim().slice(0, maxQuotedLength).toWellFormed();

const notText =
  /<!--[\s\S]*?(?:-->|$(?![\s\S]))|^[ \t]*(`{3,}(?=[^`\n]*$)|~{3,})[\s\S]*?(?:^[ \t]*\1|$(?![\s\S]))|~~[^~\n]+~~|(?<code>`[^`\n]*`)/gm;
const notOwnText = /<(\/?)(details|blockquote|pre)(?![\w-])[^<>]*>/gi;
const alertTitle = /^\s*>\s*\[!(?:note|tip|important|warning|caution)\]\s*$/i;

/** The lines with the author's own words. `isFolded`: in a collapsed section. */
function* ownLines(description: string): Generator<{ readonly raw: string; readonly isFolded: boolean }> {
  const open = { details: 0, others: 0 };
  let inAlert = false;
  const text = description.replace(notText, (...found) => (found.at(-1) as { code?: string }).code ?? "");
  for (const line of text.split(/\r\n|\r|\n|<br\s{0,9}\/?>/i)) {
    const isQuoted = /^\s*>/.test(line);
    inAlert = isQuoted && (inAlert || alertTitle.test(line));
    if (open.others === 0 && (!isQuoted || inAlert))
      yield { raw: inAlert ? line.replace(/^\s*>/, "") : line, isFolded: open.details > 0 };
    for (const [, slash, tag = ""] of line.replaceAll(/`[^`]*`/g, "").matchAll(notOwnText)) {
      const kind = tag.toLowerCase() === "details" ? "details" : "others";
      open[kind] = Math.max(0, open[kind] + (slash ? -1 : 1));
    }
  }
}

/** `label`: each item below has to name a dependency. `sentence`: items without a reference are ignored. */
type Heading = "label" | "sentence";

interface ReadLine {
  readonly references: readonly string[];
  readonly isReadable: boolean;
  readonly isLabelled: boolean;
  readonly opens: Heading | null;
}

const beginning =
  /^(?:(?:(?:please\s+)?note(?:\s+that)?|nb|important|warning)[\s:,!–—-]{1,9})?(?:(?:this|it)\s+(?:(?:pr|pull request|change|patch|branch)\s+)?(?:is\s+)?(?:also\s+)?)?(?:depends?|dependent)([\s_‐–-]{0,9})(?:up)?on(?![\p{L}\p{N}])/iu;
const none = /^(?:none|nothing|no|n\/a|na|nil|null|-+|–|—|)[.!]?$/i;

function readLine(raw: string, list: Heading | null): ReadLine | "prose" | "ends_list" {
  const isItem = /^[ \t]*(?:[-+*•]|\d{1,3}[.)])[ \t]/.test(raw);
  const line = withoutDress(raw);
  const begins = beginning.exec(line);
  if (!begins) {
    if (list === null || line === "") return "prose";
    if (!isItem && !reference.test(line)) return "ends_list";
    return list === "sentence" && !anyReference.test(line) ? "prose" : readReferences(line, true);
  }
  const [, value = ""] = /^\s*[:=|→]*\s*([\s\S]*)$/u.exec(line.slice(begins[0].length)) ?? [];
  const isHeading = /^\s*#{1,6}\s/.test(raw);
  const isLabel = isHeading || /^\s*[:=|→]/u.test(line.slice(begins[0].length)) || begins[1]?.trim() !== "";
  if (value === "") return { ...nothing, opens: "label" };
  const read = readReferences(value, isLabel);
  if (isLabel || read.references.length > 0 || anyReference.test(value)) return read;
  return value.endsWith(":") ? { ...nothing, isLabelled: false, opens: "sentence" } : "prose";
}

/** A reference at the beginning of a text. */
const reference =
  /^(?:https?:\/\/[^\s|()<>,;]+|(?:[\w.-]+\/[\w.-]+)?#\d{1,9}(?![\p{L}\p{N}_])|gh-\d{1,9}(?![\p{L}\p{N}_]))/iu;
const anyReference =
  /#\d|(?<![\p{L}\p{N}])(?:gh-|prs?\s+|pull\s+requests?\s+)\d|\/(?:pull|pulls|issues)\/\d/iu;
const between = /^(?:[\s,;&+|/]+|and(?![\p{L}\p{N}])|(?:prs?|pull\s+requests?|issues?)(?![\p{L}\p{N}]):?)+/iu;

const nothing = { references: [], isReadable: true, isLabelled: true } as const;

/** Text after the references is an explanation. If it names more pull requests, the line is ambiguous and counts as unreadable. */
function readReferences(text: string, isLabel: boolean): ReadLine {
  const references: string[] = [];
  let rest = text;
  /** Whether a number alone, as in `PR 12`, is a reference. */
  let isNumbered = isLabel;
  const next = () => {
    const [skipped = ""] = between.exec(rest) ?? [];
    rest = rest.slice(skipped.length);
    isNumbered ||= /p/i.test(skipped);
    return (
      reference.exec(rest)?.[0] ?? (isNumbered ? /^\d{1,9}(?![\p{L}\p{N}]|\.\d)/u.exec(rest)?.[0] : undefined)
    );
  };
  for (let found = next(); found !== undefined; found = next()) {
    references.push(found.replace(/[.:!?]+$/, ""));
    rest = rest.slice(found.length);
  }
  const isNone = references.length === 0 && none.test(text.replace(/[|\s]+$/, ""));
  const isReadable = isNone || (references.length > 0 && !anyReference.test(rest));
  return { references, isReadable, isLabelled: isLabel, opens: null };
}

/** The line without Markdown and HTML. */
function withoutDress(raw: string): string {
  return raw
    .normalize("NFKC")
    .replace(/[\u200B-\u200D\u2060\uFEFF\u00AD]/g, "")
    .replace(/<(https?:\/\/[^<>\s]+)>/gi, "$1")
    .replace(/<\/?[a-z][^<>]*>/gi, "")
    .replace(/\[([^[\]]*)\]\(\s*([^\s()]*)[^()]*\)/g, (_, text: string, address: string) => {
      if (!anyReference.test(address)) return text;
      return /^\W*depends?/i.test(text) ? `${text} ${address}` : address;
    })
    .replace(/[*`]|(?<![\p{L}\p{N}])_+|_+(?![\p{L}\p{N}])/gu, "")
    .replace(
      /^(?:\s|[-+•|]|\[[ x]?\]|[([]|:[\w+-]{1,40}:|\d{1,3}[.)]\s|#{1,6}\s|[^\p{L}\p{N}\p{P}\p{S}])+/iu,
      "",
    )
    .replace(/^\p{Extended_Pictographic}[\uFE0F\s]*/u, "")
    .trim();
}

/**
 * Returns the number of a pull request in the same repository, `owner/repo#5` for another repository, or null for an address that is no
 * pull request on this host.
 */
function locate(found: string, url: string): number | string | null {
  const own = /^(https?:\/\/[^/]+)\/([^/]+\/[^/]+)\//i.exec(url);
  const [, host = "", repository = ""] = own ?? [];
  const address = /^(https?:\/\/[^/]+)\/([^/]+\/[^/]+)\/(?:pull|pulls|issues)\/(\d{1,9})(?![^/?#])/i.exec(
    found,
  );
  if (/^https?:/i.test(found) && !isSameName(address?.[1], host)) return null;
  const short = /^(?:([\w.-]+\/[\w.-]+)?#|gh-)?(\d{1,9})$/i.exec(found);
  const place = address?.[2] ?? short?.[1] ?? repository;
  const number = Number(address?.[3] ?? short?.[2] ?? 0);
  if (number === 0) return null;
  return isSameName(place, repository) ? number : `${address?.[2] ?? short?.[1]}#${number}`;
}
