import type * as z from 'zod';

/** Asks for one rule for each field, and for no other. */
export type RulesOf<Fields> = { readonly [Name in keyof Fields]-?: z.ZodType<Fields[Name]> };
