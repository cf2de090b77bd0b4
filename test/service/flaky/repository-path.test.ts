import { expect, test } from "@jest/globals";
import { repositoryPathOf } from "../../../src/service/flaky/repository-path.ts";

test.each<[file: string | null, classname: string | null, path: string | null]>([
  ["src/widget.test.ts", null, "src/widget.test.ts"],
  ["./src/widget.test.ts", null, "src/widget.test.ts"],
  ["src\\widget.test.ts", null, "src/widget.test.ts"],
  ["/home/runner/work/widgets/widgets/src/a.test.ts", null, "src/a.test.ts"],
  ["/__w/widgets/widgets/src/a.test.ts", null, "src/a.test.ts"],
  ["/github/workspace/src/a.test.ts", null, "src/a.test.ts"],
  ["D:/a/widgets/widgets/src/a.test.ts", null, "src/a.test.ts"],
  ["/builds/acme/widgets/src/a.test.ts", null, "src/a.test.ts"],
  ["/somewhere/else/a.test.ts", null, null],
  ["../other/a.test.ts", null, null],
  ["", null, null],
  [null, "tests/a.spec.ts", "tests/a.spec.ts"],
  [null, "com.acme.WidgetTest", null],
  [null, "widget turns left/right. it does", null],
  [null, null, null],
])("a report's file %j and class %j is %j of the repository", (file, classname, path) => {
  expect(repositoryPathOf({ file, classname })).toBe(path);
});
