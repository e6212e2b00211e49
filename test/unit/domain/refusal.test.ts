import type * as z from 'zod';
import { actionInput } from '../../../src/contract/actions.ts';
import { assistantInput } from '../../../src/contract/assistants.ts';
import { formSubmitRequest } from '../../../src/contract/widget.ts';
import { inputOf } from '../../../src/domain/refusal.ts';
import { refusalOf } from '../../fakes/refusals.ts';

const AI = { trigger: 'AI-decided', name: 'Look', description: 'Looks something up', url: 'https://a.example/' };
const ASSISTANT = { name: 'Shop', hourly_rate_limit: 100 };

/** Words of the validation library. */
const FOREIGN = /expected|received|Invalid|Unrecognized|Too (big|small)|discriminator/;

test.each<[string, z.ZodType, unknown]>([
  ['conversation_id: is required', formSubmitRequest, {}],
  ['conversation_id: must be a string', formSubmitRequest, { conversation_id: 7, values: {} }],
  ['values: must be an object', formSubmitRequest, { conversation_id: 'c-1', values: [] }],
  ['must be an object', formSubmitRequest, null],
  ['trigger: is required', actionInput, {}],
  ['trigger: must be one of "Event", "AI-decided", "Form"', actionInput, { ...AI, trigger: 'Tool' }],
  ['method: must be one of "GET", "POST", "PUT", "PATCH", "DELETE"', actionInput, { ...AI, method: 'HEAD' }],
  ['enabled: must be true or false', actionInput, { ...AI, enabled: 'yes' }],
  ['parameters.type: must be "object"', actionInput, { ...AI, parameters: { type: 'array' } }],
  ['hourly_rate_limit: must be at least 1', assistantInput, { ...ASSISTANT, hourly_rate_limit: 0 }],
  ['hourly_rate_limit: must be at least 1', assistantInput, { ...ASSISTANT, hourly_rate_limit: -1e17 }],
  ['hourly_rate_limit: must be at most 10000000', assistantInput, { ...ASSISTANT, hourly_rate_limit: 1e17 }],
  ['hourly_rate_limit: must be an integer', assistantInput, { ...ASSISTANT, hourly_rate_limit: 1.5 }],
  ['domain: must be at most 300 characters', assistantInput, { ...ASSISTANT, domain: 'd'.repeat(301) }],
  [
    'ip_allowlist: must have at most 100 entries',
    assistantInput,
    { ...ASSISTANT, ip_allowlist: Array(101).fill('::1') },
  ],
])('says "%s" in its own words', async (message, schema, input) => {
  const { message: said, fields } = await refusalOf(() => inputOf(schema, input));
  expect(said).toBe(message);
  expect(fields.filter(({ problem }) => FOREIGN.test(problem))).toEqual([]);
});

test('names every field that is not known', async () => {
  const { message, fields } = await refusalOf(() => inputOf(actionInput, { ...AI, secret: 'x', other: 1 }));
  expect(message).toBe('secret: is not known');
  expect(fields).toEqual(['secret', 'other'].map((field) => ({ field, problem: 'is not known' })));
});
