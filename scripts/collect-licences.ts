import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Metafile } from "esbuild";

const root = join(import.meta.dirname, "..");

/** Returns the licences of the packages that esbuild embedded at least partly in its output. */
export function collectLicences({ outputs }: Metafile): string {
  const inputs = Object.values(outputs).flatMap((output) => Object.entries(output.inputs));
  const used = inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => path);
  const directories = used.flatMap((path) => path.match(/^.*node_modules\/(@[^/]+\/)?[^/]+/)?.[0] ?? []);
  const sections = [...new Set(directories)].sort().map((directory) => {
    const { name, version, license } = JSON.parse(
      readFileSync(join(root, directory, "package.json"), "utf8"),
    );
    const file = readdirSync(join(root, directory)).find((entry) => /^(licen[cs]e|copying)/i.test(entry));
    if (!file) throw new Error(`${name} ${version} (${license}) comes without the text of its licence`);
    const text = readFileSync(join(root, directory, file), "utf8")
      .replaceAll("\r\n", "\n")
      .trim();
    return `${name} ${version}\n${license}\n\n${text}\n`;
  });
  return sections.join(`\n${"-".repeat(80)}\n\n`);
}
