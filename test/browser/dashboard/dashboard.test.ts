// Tests the dashboard. `npm run test:screens` has every width and color scheme.

import './first-day.ts';
import './session.ts';
import './screens.ts';
import './organization.ts';
import './many.ts';
import './form-order.ts';
import './fields.ts';
import './trouble.ts';
import './answers.ts';
import './leaving.ts';
import './input.ts';
import './names.ts';
