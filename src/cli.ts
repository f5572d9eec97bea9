/** The bin entry of the modules: the only place that touches the process's words, environment and exit code. */
import { runWhole } from './cli-whole.ts';

// A client's open stdin would keep the process alive; everything has been flushed and closed by now.
void runWhole(process).then((code) => process.exit(code));
