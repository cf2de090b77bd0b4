import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { npmRecordings } from "./npm-report-samples.ts";
import { type Recording, recordings } from "./report-samples.ts";
import { systemRecordings } from "./system-report-samples.ts";

/**
 * Records those reports in `test/flaky/fixtures/reports` that come from real test runners. Installs the runners in a temporary
 * directory, lets each run a sample whose tests pass, fail, are skipped, or pass on a later attempt, and keeps its report. Runners
 * that npm does not have are used if they are installed.
 *
 *     node scripts/record-reports.ts [NAME...]
 */
const packages = [
  ...["jest@30.5.2", "jest-junit@17.0.0", "vitest@5.1.1", "@playwright/test@1.65.1"],
  ...["mocha@11.7.5", "mocha-junit-reporter@2.2.1", "@cucumber/cucumber@12.9.0", "bun@1.4.5", "deno@2.9.6"],
  ...["tape@5.10.2", "tap-xunit@2.4.1", "eslint@10.15.0", "eslint-formatter-junit@9.0.1"],
  ...["jasmine@7.0.0", "jasmine-reporters@2.5.2", "newman@6.2.2"],
];
const fixtures = join(import.meta.dirname, "..", "test", "flaky", "fixtures", "reports");
const wanted = process.argv.slice(2);

const home = mkdtempSync(join(tmpdir(), "reports-"));
try {
  writeFileSync(join(home, "package.json"), "{}");
  execFileSync("npm", ["install", "--silent", "--no-audit", "--no-fund", ...packages], {
    cwd: home,
    stdio: "inherit",
  });
  for (const [name, recording] of Object.entries({ ...recordings, ...npmRecordings, ...systemRecordings }))
    if (wanted.length === 0 || wanted.includes(name)) record(name, recording);
} finally {
  rmSync(home, { recursive: true, force: true });
}

function record(
  name: string,
  { runner, files, command, environment, report: written = "report.xml" }: Recording,
): void {
  const place = join(home, name);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(place, path)), { recursive: true });
    writeFileSync(join(place, path), text);
  }
  const [program, ...args] = command;
  const path = `${join(home, "node_modules", ".bin")}:${process.env.PATH}`;
  const env = { ...process.env, CI: "1", NODE_OPTIONS: "", ...environment, PATH: path };
  // Runners that find a failure exit with another code than 0: only the report counts.
  const { error } = spawnSync(program, args, { cwd: place, env, stdio: "ignore" });
  if (error) return console.error(`${name}: not recorded, ${error.message}`);
  if (!existsSync(join(place, written)))
    return console.error(`${name}: not recorded, ${program} wrote no report`);
  const report = shortened(readFileSync(join(place, written), "utf8"));
  writeFileSync(
    join(fixtures, `${name}.xml`),
    report.replaceAll(home, "/home/runner/work").replaceAll(`hostname="${hostname()}"`, 'hostname="runner"'),
  );
  console.log(`${name}: ${runner}`);
}

/** Removes the properties of the machine, and stack frames of Java and JUnit, which make up most of Surefire's stacks. */
function shortened(report: string): string {
  return report
    .replaceAll(/^ *<property name="(?!go\.version).*\n/gm, "")
    .replaceAll(/^\tat (?:java\.base\/|org\.junit\.).*\n/gm, "");
}
