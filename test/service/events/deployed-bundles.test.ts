import '../operations/operations.ts';
import './bus.ts';
import './interleaved.ts';
import './neighbors.ts';
import './numbers.ts';
import '../acceptance/main-job.ts';
