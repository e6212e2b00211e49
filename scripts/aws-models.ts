import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';

/**
 * `node scripts/aws-models.ts [version]` writes local/cloud/constraints/aws-models.json: what AWS's own models say about the parameters of the calls that the
 * local cloud answers. It installs botocore, AWS's Python client, into node_modules/.cache (needs Python and pip).
 */
const OPERATIONS: Readonly<Record<string, string>> = {
  'cognito-idp': 'AdminCreateUser AdminGetUser DescribeUserPool ListUsers',
  dynamodb: `BatchExecuteStatement BatchGetItem BatchWriteItem DeleteItem GetItem ListTables PutItem Query Scan TransactWriteItems UpdateItem`,
  events: 'PutEvents',
  secretsmanager: 'GetSecretValue PutSecretValue UpdateSecretVersionStage',
  sqs: `CancelMessageMoveTask ChangeMessageVisibility ChangeMessageVisibilityBatch CreateQueue DeleteMessage DeleteMessageBatch GetQueueAttributes
    ListMessageMoveTasks ListQueues ReceiveMessage SendMessage SendMessageBatch SetQueueAttributes StartMessageMoveTask`,
};
const DEFAULT_VERSION = '1.44.8';
const FILE = fileURLToPath(new URL('../local/cloud/constraints/aws-models.json', import.meta.url));

type Reference = { readonly shape: string };
type ModelShape = {
  readonly type: string;
  readonly required?: readonly string[];
  readonly members?: Readonly<Record<string, Reference>>;
  readonly member?: Reference;
  readonly key?: Reference;
  readonly value?: Reference;
  readonly min?: number;
  readonly max?: number;
  readonly pattern?: string;
  readonly enum?: readonly string[];
};
type Model = {
  readonly operations: Readonly<Record<string, { readonly input?: Reference }>>;
  readonly shapes: Readonly<Record<string, ModelShape>>;
};

function constraintsOf({ operations, shapes }: Model, names: readonly string[]) {
  const usedShapes: Record<string, object> = {};
  const use = (reference: Reference | undefined): string | undefined => {
    const name = reference?.shape;
    const modelShape = shapes[name ?? ''];
    if (name === undefined || modelShape === undefined || name in usedShapes) return name;
    const { type, required, min, max, pattern, enum: values } = modelShape;
    usedShapes[name] = {};
    const members = Object.entries(modelShape.members ?? {}).map(([member, target]) => [member, use(target)]);
    const parts = { member: use(modelShape.member), key: use(modelShape.key), value: use(modelShape.value) };
    // A pattern that JavaScript reads otherwise would fail here.
    if (pattern !== undefined) new RegExp(pattern, 'u');
    const structure = type === 'structure' ? { members: Object.fromEntries(members) } : {};
    usedShapes[name] = { type, required, min, max, pattern, enum: values, ...parts, ...structure };
    return name;
  };
  const inputs = Object.fromEntries(names.map((name) => [name, use(operations[name]?.input)]));
  return { inputs, shapes: usedShapes };
}

const version = process.argv[2] ?? DEFAULT_VERSION;
const folder = fileURLToPath(new URL(`../node_modules/.cache/botocore-${version}`, import.meta.url));
const pip = ['-m', 'pip', 'install', '--quiet', '--no-deps', '--upgrade', '--target', folder, `botocore==${version}`];
execFileSync('python3', pip, { stdio: 'inherit' });
const services = Object.entries(OPERATIONS).map(([service, names]) => {
  const versions = readdirSync(`${folder}/botocore/data/${service}`).sort();
  const model = `${folder}/botocore/data/${service}/${versions.at(-1)}/service-2.json.gz`;
  return [service, constraintsOf(JSON.parse(gunzipSync(readFileSync(model)).toString()), names.split(/\s+/))];
});
writeFileSync(FILE, `${JSON.stringify({ botocore: version, services: Object.fromEntries(services) }, null, 1)}\n`);
