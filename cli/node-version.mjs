/** Many people let npm run no install script; that of the package `node` installs Node. */
const ADVICE = ' Run npm ci --ignore-scripts=false, which installs it in node_modules.';

/**
 * Returns whether this is the Node that a program needs. If not, it says so and fails the process. This file and those that import it are
 * plain JavaScript, because an older Node must be able to read them.
 * @param {string} program
 */
export function isNodeNewEnough(program, neededVersion = '24', advice = ADVICE) {
  const [major = 0, minor = 0] = neededVersion.split('.').map(Number);
  const [here = 0, hereMinor = 0] = process.versions.node.split('.').map(Number);
  if (here > major || (here === major && hereMinor >= minor)) return true;
  console.error(`${program} needs Node ${neededVersion} or newer, and this is ${process.version}.${advice}`);
  process.exitCode = 1;
  return false;
}
