import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import * as z from 'zod';

const root = resolve(import.meta.dirname, '..');
const NOTICES = join(root, 'THIRD-PARTY-NOTICES.md');
const manifest = z.object({ name: z.string(), version: z.string(), license: z.string() });

async function bundledPackages(entryPoints: string[]) {
  const { metafile } = await build({
    entryPoints,
    absWorkingDir: root,
    outdir: 'unwritten',
    bundle: true,
    format: 'esm',
    platform: entryPoints.some((entry) => /^(lambdas|cli)\//.test(entry)) ? 'node' : 'browser',
    mainFields: ['module', 'main'],
    loader: { '.svg': 'empty', '.woff': 'empty', '.woff2': 'empty', '.png': 'empty' },
    metafile: true,
    write: false,
    logLevel: 'silent',
  });
  const usedFiles = Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
  );
  const folders = usedFiles.flatMap((path) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []);
  return [...new Set(folders)].sort().map((folder) => {
    const readText = (file: string) =>
      readFileSync(join(root, folder, file), 'utf8')
        .trim()
        .replace(/\r\n/g, '\n');
    const files = globSync(['LICEN[SC]E*', 'licen[sc]e*', 'NOTICE*'], { cwd: join(root, folder) }).sort();
    return {
      ...manifest.parse(JSON.parse(readText('package.json'))),
      text: [...new Set(files.map(readText))].join('\n\n'),
    };
  });
}

const PARTS: Readonly<Record<string, string[]>> = {
  'The command line of @va-wave/cdk': ['cli/packaged.mjs'],
  'The functions': globSync('lambdas/*/handler.ts', { cwd: root }).sort(),
  'The widget': ['widget/va-wave-widget.ts'],
  'The dashboard': ['dashboard/src/main.tsx'],
};

export async function thirdPartyNotices(): Promise<string> {
  const sections: string[] = [];
  const byText = new Map<string, Set<string>>();
  for (const [part, entries] of Object.entries(PARTS)) {
    const packages = await bundledPackages(entries);
    const rows = packages.map(({ name, version, license }) => `| ${name} | ${version} | ${license} |`);
    const table = ['| Package | Version | License |', '| --- | --- | --- |', ...rows].join('\n');
    sections.push(`## ${part}\n\n${packages.length === 0 ? 'No third-party software.' : table}\n`);
    for (const { name, text } of packages) byText.set(text, (byText.get(text) ?? new Set()).add(name));
  }
  const texts = [...byText].map(
    ([text, names]) =>
      `${[...names].join(', ')}:\n\n\`\`\`\`text\n${text === '' ? 'The package contains no license text.' : text}\n\`\`\`\`\n`,
  );
  return `<!-- \`node scripts/third-party-notices.ts\` generates this file from the contents of the bundles. A test checks that both agree. -->

# Third-party notices

The functions, the widget, the dashboard and the command line of the package contain third-party software under these licenses.

${sections.join('\n')}
## Texts

${texts.join('\n')}`;
}

if (import.meta.main) writeFileSync(NOTICES, await thirdPartyNotices());
