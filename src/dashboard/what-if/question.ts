import type { QueueSettings } from "../../engine/model/settings.ts";

/** The fields of the form, as they were entered. */
export interface WhatIfForm {
  readonly days: string;
  readonly concurrency: string;
  /** The wait in minutes that 95 of 100 pull requests should not exceed; empty = not asked. */
  readonly p95: string;
  readonly batch: string;
  readonly size: string;
  readonly mode: string;
  readonly policy: string;
}

export interface WhatIfQuestion {
  readonly days: number;
  readonly concurrencies: readonly number[];
  readonly p95: number | null;
  /** The changes apart from the concurrency. */
  readonly changes: Partial<QueueSettings>;
  /** The changes as text for people. */
  readonly words: readonly string[];
}

export const mostDays = 30;
const mostVariants = 6;
const maxConcurrency = 1_000;

/** The choices of a setting, each with its words. The empty one changes nothing. */
export const choices = {
  batch: { "": "as now", off: "off", minimum: "of at least", by_load: "by load" },
  mode: { "": "as now", single: "single", parallel: "parallel" },
  policy: { "": "as now", fixed: "fixed", adaptive: "adaptive", beliefs: "beliefs" },
} as const satisfies Partial<Record<keyof WhatIfForm, Readonly<Record<string, string>>>>;

export function formIn(query: unknown, { concurrency, batchingMinSize }: QueueSettings): WhatIfForm {
  const fields = query as Record<string, unknown>;
  const text = (name: keyof WhatIfForm, otherwise = "") => {
    const value = fields[name];
    return typeof value === "string" ? value.trim().slice(0, 100) : otherwise;
  };
  const near = [Math.ceil(concurrency / 2), concurrency, concurrency * 2, concurrency * 4];
  return {
    days: text("days", "7"),
    concurrency: text("concurrency", [...new Set(near)].join(", ")),
    p95: text("p95"),
    batch: text("batch"),
    size: text("size", String(batchingMinSize)),
    mode: text("mode"),
    policy: text("policy"),
  };
}

/** Reads the form. Returns the question, or what is wrong, for people. */
export function parseQuestion({
  days,
  concurrency,
  p95,
  batch,
  size,
  mode,
  policy,
}: WhatIfForm): WhatIfQuestion | string {
  const dayCount = numberIn(days);
  if (dayCount === null || dayCount < 1 || dayCount > mostDays)
    return `Days must be a whole number from 1 to ${mostDays}.`;
  const numbers = concurrency
    .split(/[\s,;]+/)
    .filter((word) => word !== "")
    .map(numberIn);
  const concurrencies = [...new Set(numbers)]
    .sort((a, b) => Number(a) - Number(b))
    .filter((one) => one !== null);
  if (
    concurrencies.length === 0 ||
    numbers.includes(null) ||
    concurrencies.some((one) => one < 1 || one > maxConcurrency)
  )
    return `“Tests at once” must be whole numbers from 1 to ${maxConcurrency}, such as: 2, 4, 8.`;
  if (concurrencies.length > mostVariants)
    return `At most ${mostVariants} numbers of tests at once can be compared.`;
  const wanted = p95 === "" ? null : numberIn(p95);
  if (p95 !== "" && !wanted) return "The wait must be a whole number of minutes.";
  const minSize = numberIn(size);
  if (batch === "minimum" && !minSize) return "The size of a batch must be a whole number.";
  const isKnown =
    Object.hasOwn(choices.batch, batch) &&
    Object.hasOwn(choices.mode, mode) &&
    Object.hasOwn(choices.policy, policy);
  if (!isKnown) return "One of the choices does not exist.";
  const changes = {
    ...(batch === "off" ? { batch: false } : {}),
    ...(batch === "minimum" ? { batch: true, batchSizing: batch, batchingMinSize: minSize ?? 1 } : {}),
    ...(batch === "by_load" ? { batch: true, batchSizing: batch } : {}),
    ...(mode === "" ? {} : { mode }),
    ...(policy === "" ? {} : { policy }),
  } as Partial<QueueSettings>;
  const words = [
    ...(batch === ""
      ? []
      : [`batches ${choices.batch[batch as "off"]}${batch === "minimum" ? ` ${minSize}` : ""}`]),
    ...(mode === "" ? [] : [`mode ${mode}`]),
    ...(policy === "" ? [] : [`policy ${policy}`]),
  ];
  return { days: dayCount, concurrencies, p95: wanted, changes, words };
}

function numberIn(text: string): number | null {
  return /^\d{1,6}$/.test(text) ? Number(text) : null;
}
