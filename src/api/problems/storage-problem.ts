import type { StorageFault } from "../../ports/storage-fault.ts";
import { type Problem, problemKinds } from "./problem.ts";

/** The answer while nothing can be stored. */
export function storageProblem({ code }: StorageFault): Problem {
  return {
    code,
    detail: `${problemKinds[code].title}. Nothing can be stored until this is fixed. The log has the details.`,
    headers: { "retry-after": "1" },
  };
}
