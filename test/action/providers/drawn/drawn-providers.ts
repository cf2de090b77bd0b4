import { bazelPlaces, renderBazel } from "./bazel.ts";
import { cargoPlaces, renderCargo } from "./cargo.ts";
import { goPlaces, renderGo } from "./go.ts";
import type { Model, Places } from "./model.ts";
import { nodePlaces, renderNode, renderNx, renderTurborepo, taskPlaces, yarnPlaces } from "./node.ts";
import type { Files } from "./truth.ts";

/** A provider whose workspaces are drawn. */
interface Drawn {
  /** The program that the provider runs; null if it runs none. */
  readonly tool: string | null;
  readonly places: Places;
  render(model: Model): Files;
}

export const drawnProviders: Record<string, Drawn> = {
  npm: { tool: null, places: nodePlaces, render: (model) => renderNode("npm", model) },
  yarn: { tool: null, places: yarnPlaces, render: (model) => renderNode("yarn", model) },
  pnpm: { tool: null, places: nodePlaces, render: (model) => renderNode("pnpm", model) },
  turborepo: { tool: "turbo", places: taskPlaces, render: renderTurborepo },
  nx: { tool: "nx", places: taskPlaces, render: renderNx },
  cargo: { tool: "cargo", places: cargoPlaces, render: renderCargo },
  go: { tool: "go", places: goPlaces, render: renderGo },
  bazel: { tool: "bazel", places: bazelPlaces, render: renderBazel },
};
