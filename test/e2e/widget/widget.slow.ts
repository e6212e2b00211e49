import { describeWidget } from './widget.ts';

describeWidget(true);
