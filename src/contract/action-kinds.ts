/** The enumerations of an Action's settings. This file imports no schema library, so a browser bundle can import it at no cost. */

export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export type Method = (typeof METHODS)[number];

export const TRIGGERS = ['Event', 'AI-decided', 'Form'] as const;
export type Trigger = (typeof TRIGGERS)[number];

export const PARAMETER_TYPES = ['string', 'integer', 'number', 'boolean'] as const;

export const FIELD_TYPES = ['Text', 'Email', 'Phone', 'Number', 'Long text'] as const;
