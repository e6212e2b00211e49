import { testAccessibility } from './accessibility.ts';
import { testCommands } from './commands.ts';
import { testConversation } from './conversation.ts';
import { testEmbedding } from './embedding.ts';
import { testForms } from './forms.ts';
import { type Harness, startHarness } from './harness.ts';
import { testLanguages } from './languages.ts';

/** All tests of the widget with a fake service use one browser. Each test opens its page in a new context. */
let harness: Harness;
const shared = () => harness;
beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness?.stop());

describe('forms', () => testForms(shared));
describe('embedding', () => testEmbedding(shared));
describe('accessibility', () => testAccessibility(shared));
describe('languages', () => testLanguages(shared));
describe('commands', () => testCommands(shared));
describe('conversation', () => testConversation(shared));
