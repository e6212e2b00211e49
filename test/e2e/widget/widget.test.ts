// Tests the widget with a fake service. `npm run test:browser` has every size and mode.

import './forms.ts';
import './embedding.ts';
import './accessibility.ts';
import './languages.ts';
import './commands.ts';
import './conversation.ts';
