import { beliefDefects } from "./defects/beliefs.ts";
import { fixedDefects } from "./defects/fixed.ts";
import { lifecycleDefects } from "./defects/lifecycle.ts";
import { modelDefects } from "./defects/model.ts";
import { specialDefects } from "./defects/special.ts";
import type { Defect } from "./mutation.ts";

export const defects: readonly Defect[] = [
  ...lifecycleDefects,
  ...specialDefects,
  ...modelDefects,
  ...fixedDefects,
  ...beliefDefects,
];
