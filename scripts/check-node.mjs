import { isNodeNewEnough } from '../cli/node-version.mjs';

// npm's own warnings about an old Node are one for each package, so .npmrc leaves them out. The installation goes on, because npm scripts run on the Node that it installs.
isNodeNewEnough('va-wave', '22.19', ' Scripts of npm run on Node 24 from node_modules.');
process.exitCode = 0;
