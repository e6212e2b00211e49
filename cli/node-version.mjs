const NODE_NEEDED = 24;

/**
 * Returns the line that says which Node a program needs; undefined on that Node. This file and those that import it are plain JavaScript,
 * because an older Node must be able to read them.
 * @param {string} program
 */
export function olderNode(program) {
  if (Number(process.versions.node.split('.')[0]) >= NODE_NEEDED) return undefined;
  return `${program} needs Node ${NODE_NEEDED} or newer, and this is ${process.version}. Run npm ci, which installs it in node_modules.`;
}
