import '../operations/operations.ts';
import './bus.ts';
import './interleaved.ts';
