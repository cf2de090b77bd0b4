import type { StorageFault } from "../../ports/storage-fault.ts";
import { type Problem, problemKinds } from "./problem.ts";

/** The answer while nothing can be stored, or not everything can be read. */
export function storageProblem({ code }: StorageFault): Problem {
  const effect =
    code === "DATABASE_CORRUPT" ? "Restore a backup" : "Nothing can be stored until this is fixed";
  return {
    code,
    detail: `${problemKinds[code].title}. ${effect}. The log has the details.`,
    headers: { "retry-after": "1" },
  };
}
