import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "@jest/globals";
import { renderCli } from "../../scripts/render-cli.ts";
import { allBelow, createProgram, pathOf } from "../../src/cli/program.ts";

const root = join(import.meta.dirname, "../..");
const read = (file: string): string => readFileSync(join(root, file), "utf8");
const documents = globSync(["*.md", "{docs,bench,client,test}/**/*.md"], { cwd: root });
const pages = documents.filter((file) => !file.startsWith("docs/adr/"));

/** The fragments by which GitHub addresses the headings of a page. */
function headingFragments(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

/** Code and the placeholders of generated pages are no links. */
function linksIn(file: string): string[] {
  const text = read(file).replaceAll(/`[^`\n]*`/g, "");
  return [...text.matchAll(/\]\(((?!https?:|mailto:)[^)\s{]+)\)/g)].map(([, link = ""]) => link);
}

function isBroken(link: string, file: string): boolean {
  const [path = "", fragment] = link.split("#");
  const target = path === "" ? file : join(dirname(file), path);
  if (!existsSync(join(root, target))) return true;
  return (
    fragment !== undefined && target.endsWith(".md") && !headingFragments(read(target)).includes(fragment)
  );
}

test("links between documents lead to files and headings that exist", () => {
  const broken = documents.flatMap((file) =>
    linksIn(file)
      .filter((link) => isBroken(link, file))
      .map((link) => `${file}: ${link}`),
  );
  expect(broken).toEqual([]);
});

test("the index of the documents leads to each page", () => {
  const listed = linksIn("docs/README.md").map((link) => join("docs", link));
  const missing = pages.filter((file) => file.startsWith("docs/") && !listed.includes(file));
  expect(missing).toEqual(["docs/README.md"]);
});

test("the tests and npm scripts that documents name exist", () => {
  const { scripts } = JSON.parse(read("package.json"));
  const wrong = pages.flatMap((file) => {
    const text = read(file);
    const tests = text.match(/\btest\/[\w./-]+\.ts\b/g) ?? [];
    const commands = [...text.matchAll(/\bnpm run (?:-s )?([\w:]+)/g)].map(([, name = ""]) => name);
    return [
      ...tests.filter((path) => !existsSync(join(root, path))),
      ...commands.filter((name) => !(name in scripts)),
    ].map((name) => `${file}: ${name}`);
  });
  expect(wrong).toEqual([]);
});

test("the command reference is what the commands are, and documents name only commands and options that exist", async () => {
  const known = new Map(
    allBelow(await createProgram()).map((command) => [
      pathOf(command),
      command.options.flatMap(({ long }) => long ?? []),
    ]),
  );
  const { page, schema } = await renderCli();
  expect([read("docs/reference/cli.md"), read("docs/reference/cli.schema.json")]).toEqual([page, schema]);

  const { $defs: shapes, "x-exit-codes": codes } = JSON.parse(schema);
  const withoutJson = ["serve", "mcp", "completion"];
  expect(Object.keys(codes).filter((name) => !withoutJson.includes(name))).toEqual(
    Object.keys(codes).filter((name) => name in shapes && known.get(name)?.includes("--json")),
  );

  const named = pages.flatMap((file) =>
    [...read(file).matchAll(/`(?:trainyard )?((?:pr|queue|tests|audit) [a-z]+)\b([^`\n]*)`/g)].map(
      ([text, name = "", rest = ""]) => ({ file, text, name, options: rest.match(/--[a-z-]+/g) ?? [] }),
    ),
  );
  const wrong = named.filter(({ name, options }) => {
    const own = known.get(name);
    return !own || !options.every((option) => own.includes(option));
  });
  expect(wrong).toEqual([]);
});

test("codes and variables that documents name exist in the sources", () => {
  const sources = globSync(["{src,tools,scripts,test/runner}/**/*.ts", "*.{yml,yaml}", ".github/**/*.yml"], {
    cwd: root,
  });
  const known = new Set(sources.flatMap((file) => read(file).match(/\b[A-Z][A-Z0-9_]+\b/g) ?? []));
  const unknown = pages.flatMap((file) =>
    [...read(file).matchAll(/`([A-Z]{2,}(?:_[A-Z0-9]+)+)`/g)]
      .map(([, name = ""]) => name)
      .filter((name) => !known.has(name.replace(/_FILE$/, "")) && !name.startsWith("NODE_"))
      .map((name) => `${file}: ${name}`),
  );
  expect(unknown).toEqual([]);
});

/** Set by CI or by npm, or explained by the page where they stand. */
const given = /^(GITHUB_\w+|RUNNER_\w+|ACTIONS_\w+|npm_\w+|HOME|PATH)$/;

test("blocks of commands define each variable that they use", () => {
  const unset = pages.flatMap((file) =>
    [...read(file).matchAll(/^ *```(?:sh|bash)\n(.*?)^ *```$/gms)].flatMap(([, block = ""]) => {
      const isSet = (name: string) => new RegExp(`(^|[\\s;])${name}=|\\$\\{${name}:\\?`, "m").test(block);
      const used = [...block.matchAll(/\$\{?([A-Z_][A-Z0-9_]*)\b(?!:-)/g)].map(([, name = ""]) => name);
      return used.filter((name) => !given.test(name) && !isSet(name)).map((name) => `${file}: $${name}`);
    }),
  );
  expect(unset).toEqual([]);
});
