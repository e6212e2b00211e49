import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { builtDashboard } from '../../lib/dashboard-page.ts';

/** The files of the built dashboard by their paths at the service, as CloudFront sends them: with gzip. */
export function dashboardFiles(): ReadonlyMap<string, Buffer> {
  const built = builtDashboard();
  const files = new Map<string, Buffer>();
  for (const [folder, path] of [
    ['page', '/dashboard/'],
    ['assets', '/dashboard/assets/'],
  ] as const) {
    for (const name of readdirSync(join(built, folder))) {
      files.set(`${path}${name}`, gzipSync(readFileSync(join(built, folder, name)), { level: 9 }));
    }
  }
  return files;
}

/** How the document says it: kibibytes of all files together, and how many they are. */
export function dashboardSize(): { readonly kilobytes: number; readonly files: number } {
  const files = [...dashboardFiles().values()];
  return { kilobytes: Math.round(files.reduce((sum, { length }) => sum + length, 0) / 1024), files: files.length };
}
