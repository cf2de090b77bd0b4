export interface Series {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const nameOf = "[a-zA-Z_:][a-zA-Z0-9_:]*";
const label = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(,|$)/y;

/**
 * A strict parser for Prometheus' text format: it throws for everything that the format does not allow.
 * https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format
 */
export function parsePrometheus(text: string): readonly Series[] {
  if (!text.endsWith("\n")) throw new Error("the last line does not end");
  const types = new Map<string, string>();
  const finished = new Set<string>();
  const seen = new Set<string>();
  const series: Series[] = [];
  let current = "";
  for (const line of text.slice(0, -1).split("\n")) {
    const comment = new RegExp(`^# (HELP|TYPE) (${nameOf}) (.*)$`, "s").exec(line);
    if (comment) {
      const [, kind, name = "", rest = ""] = comment;
      if (kind !== "TYPE") continue;
      if (types.has(name)) throw new Error(`${name} has two types`);
      if (!/^(counter|gauge|histogram)$/.test(rest)) throw new Error(`${name} has the type ${rest}`);
      finished.add(current);
      types.set(name, rest);
      current = name;
      continue;
    }
    const one = parseSeries(line);
    const family = types.has(one.name) ? one.name : one.name.replace(/_(bucket|sum|count)$/, "");
    if (family !== current || finished.has(family))
      throw new Error(`${one.name} stands apart from its family`);
    if (types.get(family) === "histogram" && one.name === family)
      throw new Error(`${family} is no histogram`);
    const key = `${one.name} ${JSON.stringify(Object.entries(one.labels).sort())}`;
    if (seen.has(key)) throw new Error(`${key} comes twice`);
    seen.add(key);
    series.push(one);
  }
  return series;
}

function parseSeries(line: string): Series {
  const parts = new RegExp(`^(${nameOf})\\{(.*)\\} (\\S+)$`, "s").exec(line);
  const [, name = "", inside = "", text = ""] = parts ?? [];
  const value = text === "+Inf" ? Number.POSITIVE_INFINITY : Number(text);
  if (!parts || text === "" || Number.isNaN(value)) throw new Error(`not a series: ${line}`);
  const labels: Record<string, string> = {};
  label.lastIndex = 0;
  while (label.lastIndex < inside.length) {
    const at = label.lastIndex;
    const found = label.exec(inside);
    if (!found) throw new Error(`not labels from ${at} on: ${inside}`);
    const [, key = "", raw = ""] = found;
    if (key in labels) throw new Error(`${key} comes twice: ${line}`);
    labels[key] = raw.replaceAll(/\\(.)/g, (_, escaped) => (escaped === "n" ? "\n" : escaped));
  }
  return { name, labels, value };
}
