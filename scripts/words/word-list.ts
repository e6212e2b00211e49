import type { Passage } from './passages.ts';

/** Words that the project does not use, and what it uses instead. */
export type Unwanted = {
  /** A regular expression for whole words. The case of letters does not matter. A space also matches a line break. */
  readonly words: string;
  /** What the message of the check suggests. */
  readonly use: string;
  readonly kinds: readonly Passage['kind'][];
};

const PROSE = ['comment', 'message', 'document'] as const;

/** The word list. docs/development.md explains how to write; this list holds what a program can recognize. */
export const UNWANTED: readonly Unwanted[] = [
  // Names that no reader would search for.
  { words: 'marks|marked|marksOf', use: 'name what is stored, such as restrictions', kinds: ['name'] },
  { words: 'letters', use: 'deadLetters or characters', kinds: ['name'] },
  { words: 'ways', use: 'name the values, such as outcomes', kinds: ['name'] },
  { words: 'given', use: 'input, or what the value is', kinds: ['name'] },
  { words: 'played', use: 'emulated', kinds: ['name'] },
  { words: 'World', use: 'name what it represents, such as CliProcess', kinds: ['name'] },
  { words: 'utils?|helpers?|misc', use: 'name the purpose', kinds: ['name'] },

  // Persons: say who acts.
  {
    words: "nobody|somebody|anybody|everybody|whoever|nobody's|somebody's|anybody's|himself|herself",
    use: 'name the actor: caller, operator, admin, visitor, customer, SQS, …',
    kinds: PROSE,
  },

  // Images: say what happens.
  { words: 'knock(?:s|ed)?', use: 'sends a request, opens a connection', kinds: PROSE },
  { words: 'hand(?:s|ed|ing)? (?:it |them )?out', use: 'delivers (SQS), returns', kinds: PROSE },
  { words: '(?:stands?|stood) (?:in|there|beside)', use: 'is in, is listed in, is next to', kinds: PROSE },
  { words: '(?:is|are|was|were) held to', use: 'is checked against', kinds: PROSE },
  { words: 'deal(?:s|t|ing)? with', use: 'handles, processes', kinds: PROSE },
  { words: 'anew', use: 'again, or the verb with "new"', kinds: PROSE },
  { words: 'so long', use: 'this time, this long', kinds: PROSE },
  { words: 'is told', use: 'is called with, receives', kinds: PROSE },
  { words: '(?:is|are|be) at it', use: 'is in progress', kinds: PROSE },
  { words: 'by (?:himself|herself)', use: 'alone, without …', kinds: PROSE },
  { words: 'way out|way in|ways in', use: 'outbound request, inbound request', kinds: PROSE },
  { words: 'begins? again', use: 'restarts', kinds: PROSE },

  // One term for one thing.
  { words: 'look-ups?', use: 'lookup', kinds: PROSE },
  { words: 'dead letter queues?', use: 'dead-letter queue', kinds: PROSE },
  { words: 'rooms?|house', use: 'folder', kinds: ['comment', 'document'] },
  // CloudFormation's templates have the value `whitelist`, so strings are not checked.
  { words: 'whitelist(?:s|ed)?|blacklist(?:s|ed)?', use: 'allow list, block list', kinds: ['comment', 'document'] },
  { words: 'webhook actions?', use: 'Action', kinds: PROSE },
  { words: 'bots?', use: 'assistant', kinds: PROSE },
  { words: 'server keys?|secret keys?', use: 'server secret', kinds: ['document'] },
  { words: 'cron ?jobs?', use: 'schedule', kinds: PROSE },
  { words: 'chatbots?', use: 'assistant', kinds: PROSE },

  // Words that judge the reader or add nothing.
  { words: 'simply|obviously|of course|needless to say|easily', use: 'leave it out', kinds: PROSE },
  { words: 'etc|e\\.g|i\\.e', use: 'write it out', kinds: PROSE },
];
