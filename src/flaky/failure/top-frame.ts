import { withoutColours } from "./mask-line.ts";

/** The maximum number of characters of a stack that are read. */
const longestRead = 8_000;

/** A line of a stack: the place, and the function if the line names it. */
interface Frame {
  readonly place: string;
  readonly name: string;
}

/** How runtimes write a frame. The first pattern that matches a line applies. Line numbers are ignored: they change with every edit. */
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

/** Places outside of this repository: runtimes, test runners, installed packages. */
const foreign =
  /(?:^|[/\\])(?:node_modules|site-packages|dist-packages|vendor|\.cargo|\.rustup|\.pyenv|rustc|gems|lib[/\\]python[\d.]*|usr[/\\](?:lib|local))[/\\]|^(?:node:|internal\/|<|native$)|^(?:java|javax|jakarta|jdk|sun|kotlin|scala|groovy|org\.junit|junit|org\.opentest4j|org\.hamcrest|org\.assertj|org\.mockito|org\.gradle|org\.apache\.maven|org\.testng)\./;

/**
 * The frame of the stack that is nearest to the failure and lies in this repository, as `path#function`, or `class#method` for
 * Java; null = there is none.
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
 * The path relative to the repository's root, if it can be derived. GitHub's runners check a repository out into `NAME/NAME`, in
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
