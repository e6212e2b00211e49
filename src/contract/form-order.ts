type Ordered = { readonly action_id: string; readonly created_at: string };

/**
 * Form Actions in the order in which the widget shows them: those that an admin has ordered, then the others as they were created.
 * @param order ids of Actions (`form_order` of the assistant); ids of Actions that are gone are passed over
 */
export function formsInOrder<Form extends Ordered>(forms: readonly Form[], order: readonly string[] = []): Form[] {
  const placeOf = ({ action_id }: Form) => (order.includes(action_id) ? order.indexOf(action_id) : order.length);
  const created = (form: Form) => `${form.created_at} ${form.action_id}`;
  return forms.toSorted((a, b) => placeOf(a) - placeOf(b) || (created(a) < created(b) ? -1 : 1));
}
