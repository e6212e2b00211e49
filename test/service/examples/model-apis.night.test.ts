import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { parametersSchema } from '../../../src/contract/actions.ts';
import { parametersForModel, parametersProblem } from '../../../src/domain/actions/parameters.ts';
import { parseJson } from '../../../src/domain/parse-json.ts';
import { describeWhere, missingProgram } from '../../harness/programs.ts';
import { temporaryFolder } from '../../harness/temporary-folder.ts';

const cache = resolve(import.meta.dirname, '../../../node_modules/.cache/model-apis');
const NPM = ['openai@6.49.0', '@anthropic-ai/sdk@1.14.0', '@google/genai@2.32.0', '@modelcontextprotocol/sdk@1.32.2'];
const PIP = [
  'openai==3.57.0',
  'anthropic==2.14.0',
  'google-genai==3.6.1',
  'mcp==2.3.0',
  'jsonschema==4.26.0',
  'boto3==1.44.8',
];

/** Gives each listed tool to the SDKs' own validators, and to clients whose requests a server on this machine reads. Prints what fails. */
const IN_NODE = `import { deepStrictEqual } from 'node:assert';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { transformJSONSchema } from '@anthropic-ai/sdk/lib/transform-json-schema';
import { BedrockRuntimeClient, ConverseCommand } from '@aws-sdk/client-bedrock-runtime';
import { GoogleGenAI } from '@google/genai';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { ListToolsResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import { toStrictJsonSchema } from 'openai/lib/transform';

const ajv = new Ajv({ strict: true, unicodeRegExp: true });
formats.default(ajv);
const mcp = new AjvJsonSchemaValidator();
const problems = [];
const attempt = (api, schema, act) => {
  try { act(); } catch (error) { problems.push({ api, schema, error: String(error).slice(0, 300) }); }
};
let body = '';
const server = createServer(async (request, response) => {
  body = JSON.parse(await text(request));
  response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"candidates":[],"output":{"message":{"role":"assistant","content":[]}},"stopReason":"end_turn"}');
}).listen(0, '127.0.0.1');
await new Promise((resolve) => server.once('listening', resolve));
const address = 'http://127.0.0.1:' + server.address().port;
const google = new GoogleGenAI({ apiKey: 'of a test', httpOptions: { baseUrl: address } });
const bedrock = new BedrockRuntimeClient({ endpoint: address, region: 'eu-west-1', credentials: { accessKeyId: 'a', secretAccessKey: 'b' }, requestHandler: new NodeHttpHandler() });
const tools = JSON.parse(readFileSync(process.argv[2], 'utf8'));
for (const { strict, schema } of tools) {
  attempt('Ajv', schema, () => ajv.compile(schema));
  attempt('MCP', schema, () => mcp.getValidator(schema));
  attempt('MCP tools/list', schema, () => ListToolsResultSchema.parse({ tools: [{ name: 'a', description: 'b', inputSchema: schema }] }));
  if (strict) attempt('OpenAI strict', schema, () => deepStrictEqual(toStrictJsonSchema(schema), schema));
  if (strict) attempt('Anthropic strict', schema, () => {
    const transformed = transformJSONSchema(schema);
    for (const [name, { description }] of Object.entries(schema.properties)) deepStrictEqual(transformed.properties[name].description, description);
  });
}
for (let from = 0; from < tools.length; from += 100) {
  const some = tools.slice(from, from + 100);
  for (const key of ['parameters', 'parametersJsonSchema']) {
    const schemas = some.filter(({ strict }) => !strict).map(({ schema }) => schema);
    const functionDeclarations = schemas.map((schema) => ({ name: 'a', description: 'b', [key]: schema }));
    await google.models.generateContent({ model: 'gemini', contents: 'a', config: { tools: [{ functionDeclarations }] } });
    const sent = body.tools[0].functionDeclarations.map((one) => one[key]);
    sent.forEach((one, index) => attempt('Gemini ' + key, schemas[index], () => {
      // The SDK writes the types of \`parameters\` in capital letters.
      deepStrictEqual(JSON.parse(JSON.stringify(one), (name, value) => (name === 'type' && typeof value === 'string' ? value.toLowerCase() : value)), schemas[index]);
      if (key === 'parameters') for (const { format, enum: values = [] } of Object.values(one.properties)) {
        if (format !== undefined || !values.every((value) => typeof value === 'string' && value !== '')) throw new Error('is no Schema of Gemini');
      }
    }));
  }
  const toolConfig = { tools: some.map(({ schema }) => ({ toolSpec: { name: 'a', description: 'b', inputSchema: { json: schema } } })) };
  await bedrock.send(new ConverseCommand({ modelId: 'm', messages: [], toolConfig }));
  body.toolConfig.tools.forEach(({ toolSpec }, index) => attempt('Bedrock', some[index].schema, () => deepStrictEqual(toolSpec.inputSchema.json, some[index].schema)));
}
server.close();
console.log(JSON.stringify(problems.slice(0, 5)));
`;

const IN_PYTHON = `import copy, json, re, sys
import anthropic, botocore.session, botocore.validate, mcp.types
from google.genai import types
from jsonschema import Draft7Validator, Draft202012Validator, FormatChecker
from openai.lib._pydantic import _ensure_strict_json_schema

def is_fixed_point(transform, schema):
    assert transform(copy.deepcopy(schema)) == schema, "the SDK changes it"

def keeps_descriptions(schema):
    transformed = anthropic.transform_schema(schema)
    for name, listed in schema["properties"].items():
        assert transformed["properties"][name].get("description") == listed.get("description"), "the SDK moves a keyword"

session = botocore.session.get_session()
converse = session.get_service_model("bedrock-runtime").operation_model("Converse").input_shape
def of_bedrock(schema):
    tool = {"toolSpec": {"name": "a", "description": "b", "inputSchema": {"json": schema}}}
    report = botocore.validate.ParamValidator().validate({"modelId": "m", "toolConfig": {"tools": [tool]}}, converse)
    assert not report.has_errors(), report.generate_report()

def from_json_schema(schema, api):
    types.Schema.from_json_schema(json_schema=types.JSONSchema.model_validate(schema), api_option=api, raise_error_on_unsupported_field=True)

CHECKS = {
    "JSON Schema 7": lambda schema: Draft7Validator.check_schema(schema, format_checker=FormatChecker()),
    "JSON Schema 2020-12": lambda schema: Draft202012Validator.check_schema(schema, format_checker=FormatChecker()),
    "MCP": lambda schema: mcp.types.Tool.model_validate({"name": "a", "description": "b", "inputSchema": schema}),
    "Bedrock": of_bedrock,
    "Gemini parameters_json_schema": lambda schema: types.FunctionDeclaration(name="a", parameters_json_schema=schema),
}
LENIENT = {
    "Gemini parameters": lambda schema: types.FunctionDeclaration(name="a", description="b", parameters=schema),
    "Gemini API": lambda schema: from_json_schema(schema, "GEMINI_API"),
    "Vertex AI": lambda schema: from_json_schema(schema, "VERTEX_AI"),
}
STRICT = {
    "OpenAI strict": lambda schema: is_fixed_point(lambda copied: _ensure_strict_json_schema(copied, path=(), root=copied), schema),
    "Anthropic strict": keeps_descriptions,
}
problems = []
for tool in json.load(open(sys.argv[1])):
    for api, check in {**CHECKS, **(STRICT if tool["strict"] else LENIENT)}.items():
        try:
            check(tool["schema"])
        except Exception as error:
            problems.append({"api": api, "schema": tool["schema"], "error": f"{type(error).__name__}: {error}"[:300]})
print(json.dumps(problems[:5]))
`;

const run = (command: string, words: readonly string[]) =>
  execFileSync(command, words, {
    cwd: cache,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    stdio: ['ignore', 'pipe', 'inherit'],
    // A registry that goes silent would stop the run without an end.
    timeout: 300_000,
    killSignal: 'SIGKILL',
  });

/** Returns what may be saved as parameters, by the rules of the service itself. */
function savedParameters() {
  const number = fc.oneof(
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom('1e400', '-0', '1.50', '12345678901234567890').map((text) => JSON.rawJSON(text)),
  );
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 8 }),
    fc.constantFrom('', 'a\nb', '"', '\\', '\u0000', '😀'),
  );
  const pattern = fc
    .array(
      fc.oneof(
        fc.string({ unit: 'grapheme', maxLength: 3 }),
        fc.constantFrom(
          ...'. ^ $ | ( (?: (?i) (?P<n> ) [ [^ ] [[:alpha:]] * + ? {2} {,3} \\d \\b \\pL \\p{Greek} \\z \\A \\Q \\E \\x{41} \\- \\/ \\C'.split(
            ' ',
          ),
        ),
      ),
      { maxLength: 6 },
    )
    .map((pieces) => pieces.join(''));
  const more = { description: fc.string({ unit: 'grapheme', maxLength: 20 }) };
  const property = fc.oneof(
    fc.record(
      {
        type: fc.constant('string'),
        ...more,
        pattern,
        format: fc.constant('email'),
        enum: fc.uniqueArray(text, { minLength: 1, maxLength: 4 }),
      },
      { requiredKeys: ['type'] },
    ),
    fc.record(
      { type: fc.constantFrom('integer', 'number'), ...more, enum: fc.array(number, { minLength: 1, maxLength: 4 }) },
      { requiredKeys: ['type'] },
    ),
    fc.record(
      { type: fc.constant('boolean'), ...more, enum: fc.uniqueArray(fc.boolean(), { minLength: 1 }) },
      { requiredKeys: ['type'] },
    ),
  );
  const name = fc.oneof(
    fc.stringMatching(/^[a-zA-Z0-9_.-]{1,12}$/),
    fc.constantFrom('__proto__', 'constructor', 'type', 'properties', '$ref', '-', '.'),
  );
  return fc
    .dictionary(name, property, { maxKeys: 4 })
    .chain((properties) => fc.subarray(Object.keys(properties)).map((required) => ({ properties, required })));
}

describeWhere(missingProgram('Python with venv'), 'the SDKs of model APIs', () => {
  const folder = temporaryFolder();
  beforeAll(() => {
    mkdirSync(cache, { recursive: true });
    writeFileSync(join(cache, 'package.json'), '{"private":true,"type":"module"}');
    writeFileSync(join(cache, 'in-node.js'), IN_NODE);
    writeFileSync(join(cache, 'in-python.py'), IN_PYTHON);
    if (!existsSync(join(cache, 'node_modules/openai')))
      run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...NPM]);
    if (existsSync(join(cache, 'python/bin/python'))) return;
    run('python3', ['-m', 'venv', 'python']);
    run('python/bin/python', ['-m', 'pip', 'install', '--quiet', ...PIP]);
  }, 600_000);

  test('take every list of tools, whatever parameters are saved', () => {
    const saved = fc
      .sample(savedParameters(), { numRuns: 12_000, seed: 72 })
      .flatMap((input) => parametersSchema.safeParse(input).data ?? [])
      .filter((parameters) => parametersProblem(parameters) === undefined);
    const tools = saved.flatMap((parameters) =>
      [false, true].map((strict) => ({ strict, schema: parametersForModel(parameters, strict) })),
    );
    expect(tools.length).toBeGreaterThan(10_000);
    const file = join(folder, 'tools.json');
    writeFileSync(file, JSON.stringify(tools));
    expect(parseJson(run('node', ['in-node.js', file]))).toEqual([]);
    expect(parseJson(run('python/bin/python', ['in-python.py', file]))).toEqual([]);
  }, 600_000);
});
