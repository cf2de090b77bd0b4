import { expect, test } from "@jest/globals";
import { repositoryPathOf } from "../../../src/flaky/service/repository-path.ts";

const repo = { host: "github.com", owner: "acme", name: "widgets" };

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
  [null, "widget turns left/right. it does", null],
  [null, null, null],
])("a report's file %j and class %j have the repository path %j", (file, classname, path) => {
  expect(repositoryPathOf({ file, classname }, repo)).toBe(path);
});

test.each<[runner: string, classname: string, path: string | null]>([
  ["Surefire", "com.acme.pay.WidgetTest", "src/test/java/com/acme/pay/WidgetTest.java"],
  ["Surefire", "com.acme.WidgetTest$Turning", "src/test/java/com/acme/WidgetTest.java"],
  ["pytest", "tests.unit.test_widget.TestTurning", "tests/unit/test_widget.py"],
  ["pytest", "tests.unit.widget_test", "tests/unit/widget_test.py"],
  ["pytest", "test_widget", "test_widget.py"],
  ["gotestsum", "github.com/acme/widgets/internal/pay", "internal/pay/pay_test.go"],
  ["gotestsum", "github.com/Acme/Widgets/v2/internal/pay", "internal/pay/pay_test.go"],
  ["gotestsum", "github.com/acme/widgets", "widgets_test.go"],
  ["gotestsum", "example.com/other/pay", null],
  ["xUnit.net", "Acme.Tests.Arithmetic", null],
  ["jest", "widget turns", null],
  ["nextest", "arithmetic::main", null],
])("in a report without files, the convention of %s puts %s into %j", (_runner, classname, path) => {
  expect(repositoryPathOf({ file: null, classname }, repo)).toBe(path);
});
