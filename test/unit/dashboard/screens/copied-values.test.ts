import { copiedValues } from '../../../../dashboard/src/screens/copied-values.ts';

const field = {
  id: 'known',
  key: 'email',
  label: 'Email',
  type: 'Email',
  required: true,
  isKnownToEndpoint: true,
} as const;

test('a copy is off, has a name of its own, and fields that no endpoint knows', () => {
  const copy = copiedValues({ name: 'Contact us', form_fields: [field] });
  expect(copy).toEqual({
    name: 'Copy of Contact us',
    enabled: false,
    form_fields: [{ ...field, id: expect.any(String), isKnownToEndpoint: false }],
  });
  expect(copy.form_fields[0]?.id).not.toBe('known');
});

test('the name of a copy is not longer than a name may be', () => {
  expect(copiedValues({ name: 'n'.repeat(100), form_fields: [] }).name).toHaveLength(100);
});
