// What runs by day, with every case, size and mode: the tables of `byDay` are whole by night.

import './accessibility.test.ts';
import './commands.test.ts';
import './conversation.test.ts';
import './embedding.test.ts';
import './forms.test.ts';
import './pages/attention.test.ts';
import './pages/page-events.test.ts';
import './pages/replaced.test.ts';
import './pages/start.test.ts';
import './pages/visitors.test.ts';
import './service.test.ts';
