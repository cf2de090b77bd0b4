import packageJson from "../package.json" with { type: "json" };

/** The options of Node in `npm start`. */
export const startOptions = packageJson.scripts.start.split(" ").filter((word) => word.startsWith("-"));
