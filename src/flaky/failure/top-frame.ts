import { withoutColours } from "./mask-line.ts";

/** Characters of a stack that are looked at. */
const longestRead = 8_000;

/** A line of a stack: where, and in which function if it says so. */
interface Frame {
  readonly place: string;
  readonly name: string;
}

/** How runtimes write a frame; the first that fits a line counts. Line numbers are left out: they move with every change. */
const patterns: readonly RegExp[] = [
  // Java: at app//org.acme.ArithmeticTest.divides(ArithmeticTest.java:33)
  /^at (?:[\w.-]+\/{1,2})*(?<place>[\w.$]+)\.(?<name>[\w$<>]+)\((?:[\w$]+\.\w+(?::\d+)?|Native Method|Unknown Source)\)/,
  // .NET: at Acme.Tests.Divides(Int32 a) in /src/Arithmetic.cs:line 21
  /^at (?<name>[\w.`<>]+)\([^)]*\) in (?<place>\S[^:]*(?::\\[^:]*)?):line \d+/,
  // JavaScript: at Object.toBe (/src/a.test.js:5:50)
  /^at (?:[a-z]+ )?(?<name>[^(]*?) ?\((?<place>[^()]+?):\d+:\d+\)/,
  /^at (?:[a-z]+ )?(?<place>\S+?):\d+:\d+$/,
  // Vitest: ❯ divides sample.test.ts:5:66
  /^❯ (?:(?<name>\S+) )?(?<place>\S+?):\d+:\d+$/,
  // Python: File "/src/a.py", line 7, in divides
  /^File "(?<place>[^"]+)", line \d+(?:, in (?<name>\S+))?/,
  // Ruby: spec/a_spec.rb:12:in 'divides'
  /^(?:from )?(?<place>[^\s:]+\.rb):\d+(?::in [`'](?<name>[^']+)')?/,
  // Rust: thread 'x' panicked at tests/main.rs:20:5
  /panicked at (?<place>[^\s:]+):\d+:\d+/,
  // pytest, Go, PHP: tests/test_a.py:7: AssertionError
  /^(?<place>(?:[A-Za-z]:)?[^\s:]+\.\w{1,4}):\d+(?::|$)/,
];

/** Not of this repository: runtimes, test runners, installed packages. */
const foreign =
  /(?:^|[/\\])(?:node_modules|site-packages|dist-packages|vendor|\.cargo|\.rustup|\.pyenv|rustc|gems|lib[/\\]python[\d.]*|usr[/\\](?:lib|local))[/\\]|^(?:node:|internal\/|<|native$)|^(?:java|javax|jakarta|jdk|sun|kotlin|scala|groovy|org\.junit|junit|org\.opentest4j|org\.hamcrest|org\.assertj|org\.mockito|org\.gradle|org\.apache\.maven|org\.testng)\./;

/**
 * The frame of the stack that is nearest to the failure and lies in this repository, as `path#function`, or `class#method` for Java;
 * null = the stack shows none.
 */
export function topFrameOf(stack: string): string | null {
  const frames: Frame[] = [];
  for (const line of withoutColours(stack.slice(0, longestRead)).split("\n")) {
    const frame = frameIn(line.trim());
    if (frame && !foreign.test(frame.place)) frames.push(frame);
  }
  // Python writes the innermost call last.
  const top = /\.py$/.test(frames[0]?.place ?? "") ? frames.at(-1) : frames[0];
  return top ? `${top.place}#${top.name}` : null;
}

function frameIn(line: string): Frame | null {
  if (line.length > 1_000) return null;
  for (const pattern of patterns) {
    const { place, name } = pattern.exec(line)?.groups ?? {};
    if (place !== undefined) return { place: withinRepository(place), name: name ?? "" };
  }
  return null;
}

/**
 * The path from the repository's root, where it can be told: GitHub's runners check a repository out below its name twice, at
 * different places on different machines.
 */
function withinRepository(place: string): string {
  return place
    .replace(/^(?:file|webpack|webpack-internal):\/{2,3}/, "/")
    .replaceAll("\\", "/")
    .replace(
      /^(?:\/home\/[^/]+\/(?:actions-runner\/_)?work|\/Users\/runner\/work|\/__w|\/?[A-Z]:\/a)\/([^/]+)\/(?:\1\/)?/,
      "",
    )
    .replace(/^\.\//, "");
}
