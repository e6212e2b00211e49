// The stories that have more sizes, color schemes and names by night.

import './answers.test.ts';
import './leaving.test.ts';
import './many.test.ts';
import './names.test.ts';
import './screens.test.ts';
import './session.test.ts';
