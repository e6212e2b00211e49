import { mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { coldStart } from './cold-start/cold-start.ts';
import { delivery } from './delivery/delivery.ts';
import { foreign } from './foreign.ts';
import { hostile } from './hostile/hostile.ts';
import { json } from './json.ts';
import { chosenMeasurementsOf, type Section, sectionMarkdown } from './report.ts';

/** `npm run bench` measures all sections for bench/results.md. `npm run bench -- delivery` measures and prints one. */
const SECTIONS: Readonly<Record<string, (folder: string) => Promise<Section>>> = {
  delivery,
  'cold-start': coldStart,
  hostile,
  json,
  foreign,
};

const RESULTS = new URL('./results.md', import.meta.url);

const chosenSections = chosenMeasurementsOf(SECTIONS);
const load = () =>
  loadavg()
    .map((one) => one.toFixed(1))
    .join(', ');
const startedWith = load();

using folder = mkdtempDisposableSync(join(tmpdir(), 'va-wave-bench-'));
const parts: string[] = [];
for (const [, measure] of chosenSections) {
  const text = sectionMarkdown(await measure(folder.path));
  console.log(`${text}\n`);
  parts.push(text);
}
if (process.argv.length === 2) writeFileSync(RESULTS, `${[heading(), ...parts].join('\n\n')}\n`);

function heading(): string {
  const [cpu] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  return `# Benchmark results

This page is for engineers who want to know how fast va-wave is and what a delivery costs. \`npm run bench\` generated it on ${new Date().toISOString().slice(0, 10)}
on a machine with ${cpus().length} cores (${cpu?.model.trim()}) and ${memory} GB, with Node ${process.versions.node} on ${process.platform}-${process.arch}. The load average (1, 5, 15 minutes) was ${startedWith} at
the start and ${load()} at the end. Everything runs on one machine over loopback, so ratios within a table mean more than absolute
figures.`;
}
