import { describeWidget } from './widget.ts';

/** The short form. `npm run test:browser` has every size and mode. */
describeWidget(false);
