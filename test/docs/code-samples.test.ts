import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Script } from 'node:vm';
import { allDocuments, type Sample, samples } from './documents.ts';

const all = allDocuments().flatMap(samples);
const sectionOf = ({ path, heading }: Sample) => `${path}#${heading}`;
const written = (language: string) => all.filter((sample) => sample.language === language);

/** What the reader's own code provides around a sample. */
type Surroundings = { readonly before: string; readonly after?: string };

const RECEIVER = `import type { IncomingMessage } from 'node:http';
declare const rawBody: Uint8Array, request: IncomingMessage;
declare function respond(status: number, message: string): void;
`;
const PAGE = 'declare const vaWave: Window["vaWave"];\n';
const STORE = 'declare function storeOnce(key: string | null, body: unknown): Promise<void>;\n';
const COMPONENT = { before: "import { useEffect, useState } from 'react';\nexport function Page() {\n", after: '}\n' };
const NEXT = `import Script from 'next/script';
declare function currentUser(): Promise<string>;
declare function mintSessionToken(user: string): Promise<string>;
`;

/** The surroundings of each JavaScript and TypeScript sample, by section, in the order of the section's samples. */
const SURROUNDINGS: Readonly<Record<string, readonly Surroundings[]>> = {
  'docs/assistant-runtime.md#Try it': [{ before: '' }],
  'docs/widget.md#Renew a token on an open page': [{ before: PAGE }],
  'docs/widget.md#Languages and texts': [{ before: PAGE }],
  'docs/widget.md#A place for the conversation': [{ before: PAGE }],
  'docs/widget-recipes.md#React': [{ before: '' }, COMPONENT],
  'docs/widget-recipes.md#Vue': [
    { before: 'declare function defineProps(props: { siteId: unknown }): { siteId: string };\n' },
  ],
  'docs/widget-recipes.md#Next': [{ before: '' }, { before: NEXT }],
  'examples/conversation-view/README.md#A conversation view': [{ before: PAGE }],
  'packages/receiver/README.md#Express': [{ before: STORE }],
  'packages/receiver/README.md#AWS Lambda (Function URL, API Gateway HTTP API)': [{ before: STORE }],
  'packages/receiver/README.md#Other servers': [{ before: RECEIVER }],
  'packages/receiver/README.md#Usage webhooks': [
    {
      before: `import express from 'express';
import type { UsageReport } from '@va-wave/receiver';
declare const app: ReturnType<typeof express>;
declare function budgetLeft(usage: UsageReport): boolean;
`,
    },
  ],
};

/** Declarations of libraries that the repository does not install. */
const LIBRARIES = `declare module 'next/script' {
  const Script: (properties: { src: string; strategy: 'afterInteractive'; [data: \`data-\${string}\`]: string }) => null;
  export default Script;
}
declare module 'vue' {
  export function onMounted(run: () => void): void;
  export function onUnmounted(run: () => void): void;
}
`;

const typed = [...written('js'), ...written('tsx'), ...written('vue')];

/** Type-checks samples as a project of its own. @returns the first line of each message of the compiler */
function compilerMessages(files: Readonly<Record<string, string>>): readonly string[] {
  const cache = resolve('node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'documents-'));
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    copyFileSync('examples/conversation-view/view.js', join(folder, 'view.js'));
    writeFileSync(join(folder, 'libraries.d.ts'), LIBRARIES);
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({
        compilerOptions: {
          target: 'es2024',
          lib: ['es2024', 'dom', 'dom.iterable'],
          module: 'esnext',
          moduleResolution: 'bundler',
          moduleDetection: 'force',
          types: ['node'],
          jsx: 'react-jsx',
          allowJs: true,
          allowImportingTsExtensions: true,
          strict: true,
          skipLibCheck: true,
          noEmit: true,
          paths: { '@va-wave/receiver': [resolve('packages/receiver/src/index.ts')] },
        },
        files: [...Object.keys(files), 'view.js', 'libraries.d.ts', resolve('widget/va-wave.d.ts')],
      }),
    );
    const compiler = resolve('node_modules/.bin/tsc');
    const { stdout } = spawnSync(compiler, ['-p', folder, '--pretty', 'false'], { encoding: 'utf8' });
    // The other lines are details of the message above them.
    return stdout.split('\n').filter((line) => /^\S/.test(line));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function filesOf(found: readonly Sample[]): Record<string, string> {
  const counts = new Map<string, number>();
  return Object.fromEntries(
    found.map((sample) => {
      const section = sectionOf(sample);
      const index = counts.get(section) ?? 0;
      counts.set(section, index + 1);
      const { before, after = '' } = SURROUNDINGS[section]?.[index] ?? { before: '' };
      const code =
        sample.language === 'vue' ? (/<script setup>([\s\S]*)<\/script>/.exec(sample.code)?.[1] ?? '') : sample.code;
      const name = `${section}-${index}`.replace(/[^\w-]+/g, '_');
      return [`${name}.tsx`, before + code + after];
    }),
  );
}

test('every JavaScript and TypeScript sample of the documents has its surroundings', () => {
  const described = Object.entries(SURROUNDINGS).flatMap(([section, list]) => list.map(() => section));
  expect(typed.map(sectionOf).sort()).toEqual(described.sort());
});

describe('the compiler, which checks all samples and three wrong ones in one run', () => {
  const wrong = {
    'wrong-name.tsx': "import { verifyActions } from '@va-wave/receiver';",
    'wrong-command.tsx': `${PAGE}vaWave('unfold');`,
    'wrong-argument.tsx': `${PAGE}vaWave('texts', { caption: 'Ask the workshop' });`,
  };
  const ofWrong = (line: string) => Object.keys(wrong).some((name) => line.includes(name));
  let messages: readonly string[];

  beforeAll(() => {
    messages = compilerMessages({ ...filesOf(typed), ...wrong });
  });

  test('finds no error in a JavaScript or TypeScript sample of the documents', () => {
    expect(messages.filter((line) => !ofWrong(line))).toEqual([]);
  });

  test.each(Object.keys(wrong))('finds the error in %s', (name) => {
    expect(messages).toContainEqual(expect.stringContaining(name));
  });
});

test('every script in an HTML sample is JavaScript', () => {
  const scripts = written('html').flatMap(({ code }) =>
    [...code.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(([, script = '']) => script),
  );
  expect(scripts.length).toBeGreaterThan(1);
  for (const script of scripts) expect(() => new Script(script)).not.toThrow();
});

test('every shell sample is one that bash can parse', () => {
  const wrong = written('sh').flatMap((sample) => {
    const { status, stderr } = spawnSync('bash', ['-n'], {
      input: sample.code.replace(/<[\w ]+>/g, 'x'),
      encoding: 'utf8',
    });
    return status === 0 ? [] : [`${sectionOf(sample)}: ${stderr}`];
  });
  expect(wrong).toEqual([]);
});
