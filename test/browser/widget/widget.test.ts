// Tests the widget with a fake service. `npm run test:screens` has every size and mode.

import './forms.ts';
import './embedding.ts';
import './accessibility.ts';
import './languages.ts';
import './commands.ts';
import './conversation.ts';
