import { readFileSync } from 'node:fs';
import { autofill } from '../../../widget/autofill.ts';

const textsOf = (language: string): { readonly autofill: string } =>
  JSON.parse(readFileSync(`widget/texts/${language}.json`, 'utf8'));

test.each([
  ['en', 'your_name', 'Your name', 'name'],
  ['en', 'q1', 'Your name *', 'name'],
  ['en', 'company_name', 'Company name', 'organization'],
  ['en', 'q1', 'ZIP code', 'postal-code'],
  ['en', 'product_name', 'Product name', undefined],
  ['en', 'username', 'User', undefined],
  ['en', 'contact', 'E-mail', 'email'],
  ['de', 'ihr_name', 'Ihr Name', 'name'],
  ['de', 'strasse', 'Straße', 'street-address'],
  ['fr', 'prenom', 'Votre prénom :', 'given-name'],
  ['pl', 'imie_i_nazwisko', 'Imię i nazwisko', 'name'],
  ['ja', 'q1', 'お名前', 'name'],
  ['he', 'q1', 'שם מלא', 'name'],
  ['en', 'full_name', 'Celé jméno', 'name'],
])('a browser knows in %s that %s, %j asks for %s', (language, key, label, token) => {
  expect(autofill({ label, key }, textsOf(language))).toBe(token);
});
