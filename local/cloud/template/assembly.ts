import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { CloudError } from '../cloud-error.ts';
import type { Json } from '../json.ts';

const json: z.ZodType<Json> = z.lazy(() =>
  z.union([z.null(), z.boolean(), z.number(), z.string(), z.array(json), z.record(z.string(), json)]),
);

const template = z.object({
  Resources: z.record(
    z.string(),
    z.object({
      Type: z.string(),
      Properties: z.record(z.string(), json).default({}),
      Condition: z.string().optional(),
    }),
  ),
  Outputs: z.record(z.string(), z.object({ Value: json, Condition: z.string().optional() })).default({}),
});

const manifest = z.object({
  artifacts: z.record(
    z.string(),
    z.object({ type: z.string(), properties: z.object({ templateFile: z.string() }).partial().optional() }),
  ),
});

const assets = z.object({ files: z.record(z.string(), z.object({ source: z.object({ path: z.string() }) })) });

/** One synthesized stack: its template and its assets. */
export type Assembly = {
  readonly stackName: string;
  readonly template: z.infer<typeof template>;
  /** The file or folder of the asset with this key of the bucket of assets, absolute. @throws CloudError when there is none */
  assetPath(key: string): string;
};

/**
 * Reads the only stack of a cloud assembly.
 * @throws CloudError when the folder holds no stack or several
 */
export function readAssembly(directory: string): Assembly {
  const read = (file: string): unknown => JSON.parse(readFileSync(join(directory, file), 'utf8'));
  const { artifacts } = manifest.parse(read('manifest.json'));
  const stacks = Object.entries(artifacts).filter(([, { type }]) => type === 'aws:cloudformation:stack');
  const [stack] = stacks;
  const file = stack?.[1].properties?.templateFile;
  if (stack === undefined || file === undefined || stacks.length > 1) {
    throw new CloudError(`${directory} holds ${stacks.length} stacks. The local cloud runs exactly one`);
  }
  const { files } = assets.parse(read(file.replace('.template.json', '.assets.json')));
  return {
    stackName: stack[0],
    template: template.parse(read(file)),
    assetPath(key) {
      const source = files[key.replace(/\.zip$/, '')]?.source;
      if (source === undefined) throw new CloudError(`${directory} holds no asset ${key}`);
      return join(directory, source.path);
    },
  };
}
