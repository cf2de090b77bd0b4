import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { renderMessages } from "../../scripts/render-messages.ts";
import { parseCommands, verbs } from "../../src/command/parse-command.ts";
import fc from "../drawn.ts";
import { draws } from "../sampled.ts";
import { forms, prose } from "./forms-of-commands.ts";
import { outcomeOf, type Place } from "./outcome-of.ts";

describe("what a person writes", () => {
  test("has at least 150 different forms, and each is carried out or answered", () => {
    expect(new Set(forms.map(([place, text]) => `${place}: ${text}`)).size).toBe(forms.length);
    expect(forms.length).toBeGreaterThanOrEqual(150);
    expect(forms.filter(([, , outcome]) => !/^(?:done|answered): /.test(outcome))).toEqual([]);
  });

  test.each(forms.map(([place, text, outcome]) => [place, JSON.stringify(text), outcome, text] as const))(
    "in a %s as %s is %s",
    (place, _written, outcome, text) => {
      expect(outcomeOf(place, text)).toBe(outcome);
    },
  );

  test.each(prose.map(([place, text]) => [place, JSON.stringify(text), text] as const))(
    "in a %s as %s gets no answer",
    (place, _written, text) => {
      expect(outcomeOf(place, text)).toBe("prose");
    },
  );

  test("is a command with any space, prefix, case and end, and is answered where it cannot be one", () => {
    const spaces = fc.constantFrom(" ", "  ", "\t", "\u00a0", "\u3000", "\u2009 ", "\u200b ", " \ufeff");
    const prefixes = fc.constantFrom(
      "/trainyard",
      "/TrainYard",
      "／trainyard",
      "@trainyard",
      "@acme-trainyard:",
    );
    const drawn = fc.tuple(
      prefixes,
      spaces,
      fc.constantFrom(...verbs),
      fc.constantFrom("", ".", "!", "。", " ", "\u200b"),
    );
    const dresses = fc.constantFrom("- ", "* ", "**", "`", "1. ", "# ", "LGTM ", "- [ ] ", "\t", "<b>");
    fc.assert(
      fc.property(drawn, dresses, ([prefix, space, verb, end], dress) => {
        const line = `${prefix}${space}${verb}${end}`;
        for (const place of ["comment", "review"] as const) {
          expect(outcomeOf(place, `Fine.\n\n${line}`)).toBe(`done: ${verb}`);
          expect(outcomeOf(place, dress + line)).toMatch(/^answered: /);
        }
        for (const place of ["line", "description", "edited comment"] satisfies Place[])
          expect(outcomeOf(place, line)).toMatch(/^answered: /);
      }),
      { numRuns: draws(500) },
    );
  });
});

/** Values in texts, as the service inserts them. */
const values: Readonly<Record<string, string>> = {
  head: "a".repeat(40),
  sha: "a".repeat(40),
  verb: "merge",
  meant: "merge",
};

/** Returns the commands that a text quotes, without the usage with its brackets. */
function quotedIn(text: string): string[] {
  const found = text.matchAll(/(?<!`)`(?:\{(?:commandP|p)refix\}|\/trainyard) ([^`\n]+)`/g);
  return [...found].flatMap(([, command = ""]) =>
    /^\{usage\}|[[…]/.test(command.replaceAll('"…"', '"x"')) ? [] : [command],
  );
}

function isCommand(command: string): boolean {
  const written = command
    .replaceAll(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole)
    .replaceAll(/<sha>|<SHA>/g, "a".repeat(40))
    .replaceAll('"…"', '"x"');
  const [parsed] = parseCommands(`/trainyard ${written}`, "/trainyard");
  return parsed?.ok === true;
}

describe("every command that is quoted", () => {
  test("in a text of the service is a command", () => {
    const commands = quotedIn(renderMessages());
    expect(commands.length).toBeGreaterThan(15);
    expect(commands.filter((command) => !isCommand(command))).toEqual([]);
  });

  test("in a text of the service has its prefix", () => {
    const bare = new RegExp(`\`(?:${verbs.join("|")}) [^\`\\n]*\``, "g");
    expect(renderMessages().match(bare) ?? []).toEqual([]);
  });

  test("in the documentation is a command", () => {
    const docs = join(import.meta.dirname, "../../docs");
    const pages = readdirSync(docs, { recursive: true, encoding: "utf8" }).filter(
      (name) => name.endsWith(".md") && !name.startsWith("adr") && !name.startsWith("reference"),
    );
    const commands = pages.flatMap((page) => quotedIn(readFileSync(join(docs, page), "utf8")));
    expect(commands.length).toBeGreaterThan(10);
    expect(commands.filter((command) => !isCommand(command) && command !== "queue")).toEqual([]);
  });
});
