import { pathToFileURL } from 'node:url';

// Prints how many milliseconds of wall-clock and CPU time the import of a bundle takes. Each import needs a new process, like a cold start.

const [, , bundle = ''] = process.argv;
const cpu = process.cpuUsage();
const startedAt = performance.now();
await import(pathToFileURL(bundle).href);
const { user, system } = process.cpuUsage(cpu);
console.log(JSON.stringify({ wall: performance.now() - startedAt, cpu: (user + system) / 1000 }));
process.exit(); // A module may have opened what keeps a process alive.
