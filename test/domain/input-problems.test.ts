import type * as z from 'zod';
import { actionInput } from '../../src/contract/actions.ts';
import { assistantInput } from '../../src/contract/assistants.ts';
import { sessionCreateRequest } from '../../src/contract/sessions.ts';
import { formSubmitRequest } from '../../src/contract/widget.ts';
import { inputOf } from '../../src/domain/refusal.ts';
import { refusalOf } from '../fakes/refusals.ts';

const AI = { trigger: 'AI-decided', name: 'Look', description: 'Looks something up', url: 'https://a.example/' };
const ASSISTANT = { name: 'Shop', hourly_rate_limit: 100 };

/** Words of the validation library. */
const FOREIGN = /expected|received|Invalid|Unrecognized|Too (big|small)|discriminator/;

test.each<[z.ZodType, unknown, string]>([
  [formSubmitRequest, {}, 'conversation_id: is required'],
  [formSubmitRequest, { conversation_id: 7, values: {} }, 'conversation_id: must be a string'],
  [formSubmitRequest, { conversation_id: 'c-1', values: [] }, 'values: must be an object'],
  [formSubmitRequest, null, 'must be an object'],
  [sessionCreateRequest, { user_name: 7 }, 'user_name: must be a string'],
  [actionInput, {}, 'trigger: is required'],
  [actionInput, { ...AI, trigger: 'Tool' }, 'trigger: must be one of "Event", "AI-decided", "Form"'],
  [actionInput, { ...AI, enabled: 'yes' }, 'enabled: must be true or false'],
  [actionInput, { ...AI, method: 'HEAD' }, 'method: must be one of "GET", "POST", "PUT", "PATCH", "DELETE"'],
  [actionInput, { ...AI, secret: 'x', other: 1 }, 'secret: is not known'],
  [
    actionInput,
    { ...AI, parameters: { properties: { 'Account Number': { type: 'string' } } } },
    'parameters.properties.Account Number: must be 1 to 64 letters without accents, digits, _, . or -',
  ],
  [
    actionInput,
    { ...AI, parameters: { properties: { size: { type: 'string', title: 'Size' } } } },
    'parameters.properties.size.title: is not known',
  ],
  [
    actionInput,
    { ...AI, parameters: { properties: { size: { type: 'array' } } } },
    'parameters.properties.size.type: must be one of "string", "integer", "number", "boolean"',
  ],
  [
    actionInput,
    { ...AI, response_field_map: { a: 'order' } },
    'response_field_map.a: must be a dotted path such as $.order.status',
  ],
  [assistantInput, { ...ASSISTANT, hourly_rate_limit: 0 }, 'hourly_rate_limit: must be at least 1'],
  [assistantInput, { ...ASSISTANT, hourly_rate_limit: 1.5 }, 'hourly_rate_limit: must be an integer'],
  [assistantInput, { ...ASSISTANT, domain: 'd'.repeat(301) }, 'domain: must be at most 300 characters'],
  [
    assistantInput,
    { ...ASSISTANT, ip_allowlist: Array(101).fill('::1') },
    'ip_allowlist: must have at most 100 entries',
  ],
])('says in its own words what is wrong', async (schema, input, message) => {
  const { message: said, fields } = await refusalOf(() => inputOf(schema, input));
  expect(said).toBe(message);
  expect(fields.filter(({ problem }) => FOREIGN.test(problem))).toEqual([]);
});

test('names every field that is not known', async () => {
  const { fields } = await refusalOf(() => inputOf(actionInput, { ...AI, secret: 'x', other: 1 }));
  expect(fields).toEqual([
    { field: 'secret', problem: 'is not known' },
    { field: 'other', problem: 'is not known' },
  ]);
});
