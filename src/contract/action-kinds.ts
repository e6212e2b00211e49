/** The enumerations of an Action's settings, and the order of forms. This file imports no schema library, so a browser bundle can import it at no cost. */

export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export type Method = (typeof METHODS)[number];

export const TRIGGERS = ['Event', 'AI-decided', 'Form'] as const;
export type Trigger = (typeof TRIGGERS)[number];

export const PARAMETER_TYPES = ['string', 'integer', 'number', 'boolean'] as const;

export const FIELD_TYPES = ['Text', 'Email', 'Phone', 'Number', 'Long text'] as const;

type Ordered = { readonly action_id: string; readonly created_at: string };

/**
 * Sorts Form Actions into the order in which the widget shows them: first those in `order`, then the others by creation time.
 * @param order ids of Actions (`form_order` of the assistant); ids of deleted Actions are ignored
 */
export function formsInOrder<Form extends Ordered>(forms: readonly Form[], order: readonly string[] = []): Form[] {
  const placeOf = ({ action_id }: Form) => (order.includes(action_id) ? order.indexOf(action_id) : order.length);
  const creation = (form: Form) => `${form.created_at} ${form.action_id}`;
  return [...forms].sort((a, b) => placeOf(a) - placeOf(b) || (creation(a) < creation(b) ? -1 : 1));
}
