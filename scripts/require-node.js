// Plain JavaScript, because it runs on any version of Node. The full installation brings a suitable one along.
const needed = 24;
const [major] = process.versions.node.split(".").map(Number);
if (major < needed) {
  console.error(
    `Trainyard needs Node ${needed} or later; this is Node ${process.versions.node}. Install it; or, in a clone of the repository, run "npm ci", which installs one for Trainyard alone, and use "npm run".`,
  );
  process.exitCode = 1;
}
