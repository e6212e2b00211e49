import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { CloudError } from '../cloud-error.ts';
import type { Json } from '../json.ts';

const json: z.ZodType<Json> = z.lazy(() =>
  z.union([z.null(), z.boolean(), z.number(), z.string(), z.array(json), z.record(z.string(), json)]),
);
const object = z.record(z.string(), json);

const resource = z.object({
  Type: z.string(),
  Properties: object.default({}),
  Metadata: object.default({}),
  Condition: z.string().optional(),
});

const template = z.object({
  Resources: z.record(z.string(), resource),
  Outputs: z.record(z.string(), z.object({ Value: json, Condition: z.string().optional() })).default({}),
});

const assets = z.object({
  files: z.record(z.string(), z.object({ source: z.object({ path: z.string(), packaging: z.string().optional() }) })),
});

export type Template = z.infer<typeof template>;
export type Resource = z.infer<typeof resource>;

/** One synthesized stack: its template and the folders of its assets. */
export type Assembly = {
  readonly directory: string;
  readonly stackName: string;
  readonly template: Template;
  /** The file or folder of the asset with this hash, absolute. @throws CloudError when the assembly has none */
  assetPath(hash: string): string;
};

/**
 * Reads the only stack of a cloud assembly.
 * @throws CloudError when the folder holds no stack or several
 */
export function readAssembly(directory: string): Assembly {
  const manifest = z
    .object({
      artifacts: z.record(
        z.string(),
        z.object({ type: z.string(), properties: z.object({ templateFile: z.string() }).partial().optional() }),
      ),
    })
    .parse(read(directory, 'manifest.json'));
  const stacks = Object.entries(manifest.artifacts).filter(([, { type }]) => type === 'aws:cloudformation:stack');
  const [stack] = stacks;
  const file = stack?.[1].properties?.templateFile;
  if (stack === undefined || file === undefined || stacks.length > 1) {
    throw new CloudError(`${directory} holds ${stacks.length} stacks. The local cloud runs exactly one`);
  }
  const { files } = assets.parse(read(directory, file.replace('.template.json', '.assets.json')));
  return {
    directory,
    stackName: stack[0],
    template: template.parse(read(directory, file)),
    assetPath(hash) {
      const source = files[hash]?.source;
      if (source === undefined) throw new CloudError(`${directory} holds no asset ${hash}`);
      return join(directory, source.path);
    },
  };
}

function read(directory: string, file: string): unknown {
  return JSON.parse(readFileSync(join(directory, file), 'utf8'));
}
