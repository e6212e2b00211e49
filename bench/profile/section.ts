import type { Profiler } from 'node:inspector';
import type { ContenderSettings, Measurement } from '../delivery/contender.ts';
import { profileContender } from '../delivery/run-contenders.ts';
import { tenActions } from '../delivery/section.ts';
import type { Section } from '../report.ts';
import { bundledFunctions, bundleOf } from '../setting/functions.ts';
import { startReceiver } from '../setting/receiver.ts';
import { startStorage } from '../setting/storage.ts';

const SECONDS = 10;

/**
 * The parts of a function's CPU time, each with a pattern of the names and files of its functions. A sample counts for the nearest
 * caller that matches a pattern. Functions that the event loop calls directly have no such caller and count as Node's.
 */
const PARTS: readonly (readonly [part: string, caller: RegExp])[] = [
  ['TCP and TLS to the endpoint', /^(openConnection|openTcp|secure) |internal\/tls|_tls_/],
  ['DNS lookup', /^(resolveEndpoint|lookUp|createResolver\d*|orNothingAfterGrace) |internal\/dns/],
  ['compressing the payload for the log', /^storedPayload |node:zlib/],
  [
    'calls of DynamoDB',
    /^(post\d*|marshall|unmarshall|marshalled|claim|complete|batchGet|stringify|parse|keyOf|hmac) /,
  ],
  [
    'parsing the message, building and signing the request',
    /^(messageBody|actionPayload|actionRequest|signatureHeader) /,
  ],
  ['sending the request and reading the answer', /^(exchange\d*|requestHeaders|responseExcerpt) /],
  ['managing idle connections', /^(take|put|usable|settled) .*idle-connections/],
  ['log lines and metrics', /^(info|processLogItem|printLog|singleMetric|addMetric|publishStoredMetrics|publish) /],
];
const NODE = "Node's HTTP, streams and event loop, except the above";
const OURS = 'the rest of the function';

/** Measures which parts of the code use the CPU time of a delivery. It explains the figures of the section Delivery. */
export async function profile(folder: string): Promise<Section> {
  const receiver = await startReceiver(folder);
  const storage = await startStorage(folder);
  try {
    const bundle = bundleOf(await bundledFunctions(folder, false), 'dispatcher');
    const { orgId, actionIds } = await tenActions(storage, receiver.url);
    const of = (
      file: string,
      settings: Partial<ContenderSettings>,
      environment: Readonly<Record<string, string>> = {},
    ) =>
      profileContender(
        {
          name: file,
          module: new URL(`../delivery/${file}.ts`, import.meta.url),
          settings: {
            url: receiver.url,
            authorityFile: receiver.authorityFile,
            bodyBytes: 1000,
            atOnce: 10,
            ...settings,
          },
          environment,
        },
        SECONDS,
      );
    const environment = { ...storage.environment, VA_WAVE_LOCAL_CA_FILE: receiver.authorityFile };
    const warm = shares(await of('deliver-alone', { atOnce: 50 }));
    const small = shares(await of('dispatcher', { bundle, orgId, actionIds }, environment));
    const large = shares(await of('dispatcher', { bundle, orgId, actionIds, bodyBytes: 64_000 }, environment));
    const percent = (share = 0) => (share < 0.005 ? '' : `${Math.round(share * 100)} %`);
    return {
      title: 'CPU time of a delivery by part',
      method: `V8's profiler takes samples over ${SECONDS} s. Each sample counts for the nearest known caller. The figures are shares of CPU time, without
waiting, so they do not depend on the number of concurrent deliveries.`,
      tables: [
        {
          columns: ['Share of CPU', '(b) deliver(), warm, 50 at once', '(d) dispatcher, 1 kB', '(d) dispatcher, 64 kB'],
          rows: [...PARTS.map(([part]) => part), NODE, OURS, 'garbage collection'].map((part) => [
            part,
            percent(warm.get(part)),
            percent(small.get(part)),
            percent(large.get(part)),
          ]),
        },
      ],
    };
  } finally {
    receiver.stop();
    await storage.stop();
  }
}

/** Returns the share of each part in the time in which the CPU was busy. */
function shares({ profile }: Measurement): ReadonlyMap<string, number> {
  if (profile === undefined) throw new Error('The contender sent no profile');
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const callers = new Map(profile.nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
  const micros = new Map<string, number>();
  let busy = 0;
  for (const [index, id] of (profile.samples ?? []).entries()) {
    const stack = stackOf(id, nodes, callers);
    if (stack[0]?.functionName === '(idle)') continue;
    const delta = profile.timeDeltas?.[index] ?? 0;
    const part = partOf(stack);
    busy += delta;
    micros.set(part, (micros.get(part) ?? 0) + delta);
  }
  return new Map([...micros].map(([part, time]) => [part, time / busy]));
}

/** Returns the call stack, from the function that ran to the outermost caller. */
function stackOf(
  id: number,
  nodes: ReadonlyMap<number, Profiler.ProfileNode>,
  callers: ReadonlyMap<number, number>,
): readonly Profiler.ProfileNode['callFrame'][] {
  const stack: Profiler.ProfileNode['callFrame'][] = [];
  for (let next: number | undefined = id; next !== undefined; next = callers.get(next)) {
    const node = nodes.get(next);
    if (node !== undefined) stack.push(node.callFrame);
  }
  return stack;
}

function partOf(stack: readonly Profiler.ProfileNode['callFrame'][]): string {
  if (stack[0]?.functionName === '(garbage collector)') return 'garbage collection';
  for (const { functionName, url } of stack) {
    const known = PARTS.find(([, caller]) => caller.test(`${functionName} ${url}`));
    if (known !== undefined) return known[0];
  }
  return stack.some(({ url }) => url.startsWith('file:')) ? OURS : NODE;
}
