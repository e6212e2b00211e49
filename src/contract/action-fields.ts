import * as z from 'zod';
import { METHODS } from './action-kinds.ts';

/** The settings that every Action has, as they are stored and shown. The rules for input are in actions.ts. */
export const ACTION_FIELDS = {
  name: z.string(),
  method: z.enum(METHODS),
  url: z.string(),
  enabled: z.boolean(),
};
