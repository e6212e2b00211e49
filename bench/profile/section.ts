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
 * What a function's CPU is spent on, by the nearest caller that one of these names or files knows. Whatever the event loop
 * calls by itself has no caller of ours: it is Node's.
 */
const PARTS: readonly (readonly [part: string, caller: RegExp])[] = [
  ['TCP and TLS to the endpoint', /^(openConnection|openTcp|secure) |internal\/tls|_tls_/],
  ['looking up names', /^(resolveEndpoint|lookUp|createResolver\d*|orNothingAfterGrace) |internal\/dns/],
  ['compressing the payload for the log', /^storedPayload |node:zlib/],
  [
    'calls of DynamoDB',
    /^(post\d*|marshall|unmarshall|marshalled|claim|complete|batchGet|stringify|parse|keyOf|hmac) /,
  ],
  [
    'reading the message, writing and signing the request',
    /^(messageBody|actionPayload|actionRequest|signatureHeader) /,
  ],
  ['request and answer', /^(exchange\d*|requestHeaders|responseExcerpt) /],
  ['idle connections', /^(take|put|usable|settled) .*idle-connections/],
  ['log lines and metrics', /^(info|processLogItem|printLog|singleMetric|addMetric|publishStoredMetrics|publish) /],
];
const NODE = "Node's HTTP, streams and event loop, outside of the above";
const OURS = 'the rest of the function';

/** Where the CPU of a delivery goes: the reason behind the figures of the section Delivery. */
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
      title: 'Where the time of a delivery goes',
      method: `Samples of V8's profiler over ${SECONDS} s, each counted for the nearest caller that is known. One message after another would be the
same: these are shares of CPU, not of waiting.`,
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

/** Shares of the time in which the CPU was busy. */
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

/** From the function that ran to the one at the bottom. */
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
