import packageJson from "../package.json" with { type: "json" };

/** What Node is started with by `npm start`. */
export const startOptions = packageJson.scripts.start.split(" ").filter((word) => word.startsWith("-"));
