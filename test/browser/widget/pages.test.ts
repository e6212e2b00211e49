import { globSync } from 'node:fs';

// Pages as people really have them, with the libraries that they really load. Each file of `pages/` is one kind of page: what the visitor does
// on it, and what must happen. A new report is a new file there, with `harness.visit`; nothing lists the files. By day, `npm test` has a minute for all of
// them: of a table of cases, `byDay` leaves the others to the night (`npm run test:screens`).

for (const file of globSync('pages/*.ts', { cwd: import.meta.dirname }).sort()) await import(`./${file}`);
