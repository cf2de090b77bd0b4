/**
 * The steps of a release that git, npm and gh do not provide. `.github/workflows/release.yml` runs it in the root of the
 * repository.
 *
 *     node scripts/release.ts check v1.2.3        exits with 1 unless package.json and CHANGELOG.md name the version
 *     node scripts/release.ts notes v1.2.3        prints the changelog's part
 *     node scripts/release.ts move-major v1.2.3   moves v1 of origin to the tag, unless origin has a higher 1.x.y
 *
 * It needs no packages: the job with write permission runs it without installing any.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** An error that is shown as a message, without a stack. */
class Refusal extends Error {}

type Version = readonly [major: number, minor: number, patch: number];

function parseTag(tag: string): Version | null {
  const [, major, minor, patch] = /^v(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/.exec(tag) ?? [];
  return patch === undefined ? null : [Number(major), Number(minor), Number(patch)];
}

function check(version: string): void {
  const { version: named } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
  if (named !== version) throw new Refusal(`package.json has version ${named}, and the tag is v${version}.`);
  notesOf(version);
}

/** Returns the part of CHANGELOG.md below the heading `## 1.2.3 (2026-11-23)`. */
function notesOf(version: string): string {
  const parts = readFileSync("CHANGELOG.md", "utf8").split(/^## /m).slice(1);
  const part = parts.find((text) => text.startsWith(`${version} `));
  const [heading = "", ...lines] = part?.split("\n") ?? [];
  if (!/ \(\d{4}-\d\d-\d\d\)$/.test(heading))
    throw new Refusal(`CHANGELOG.md has no heading "## ${version} (YYYY-MM-DD)".`);
  const notes = lines.join("\n").trim();
  if (notes === "") throw new Refusal(`CHANGELOG.md says nothing of ${version}.`);
  return notes;
}

/** Reads the tags of origin, because a shallow clone has no others. The commit of an annotated tag is that of its `^{}`. */
function remoteTags(): ReadonlyMap<string, string> {
  const lines = git("ls-remote", "--tags", "origin").split("\n").filter(Boolean);
  return new Map(
    lines
      .map((line) => line.split("\t") as [string, string])
      .map(([commit, ref]) => [ref.replace(/^refs\/tags\//, "").replace(/\^\{\}$/, ""), commit]),
  );
}

function moveMajor(tag: string, [major, minor, patch]: Version): string {
  const tags = remoteTags();
  const head = git("rev-parse", "HEAD").trim();
  if (tags.get(tag) !== head) throw new Refusal(`${tag} of origin is not the commit that is checked out.`);
  const higher = [...tags.keys()].filter((other) => {
    const version = parseTag(other);
    if (version === null || version[0] !== major) return false;
    return version[1] > minor || (version[1] === minor && version[2] > patch);
  });
  if (higher.length > 0) return `v${major} stays where it is: ${higher.join(", ")} is higher than ${tag}.`;
  git("push", "--force", "origin", `${head}:refs/tags/v${major}`);
  return `v${major} is ${tag} now.`;
}

function git(...args: string[]): string {
  return execFileSync("git", args, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
}

function run(command: string | undefined, tag: string): string {
  const version = parseTag(tag);
  if (version === null) throw new Refusal(`Not a tag of a version, such as v1.2.3: ${tag}`);
  if (command === "notes") return notesOf(tag.slice(1));
  if (command === "move-major") return moveMajor(tag, version);
  if (command !== "check") throw new Refusal("Usage: node scripts/release.ts check|notes|move-major v1.2.3");
  check(tag.slice(1));
  return `package.json and CHANGELOG.md name ${tag.slice(1)}.`;
}

try {
  console.log(run(process.argv[2], process.argv[3] ?? ""));
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
