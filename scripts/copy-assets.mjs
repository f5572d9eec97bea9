// tsc emits TypeScript only; the SQL migrations and their lock travel with the build by this copy.
import { chmodSync, cpSync } from 'node:fs';

cpSync('src/db/migrations', 'dist/db/migrations', { recursive: true });
chmodSync('dist/cli.js', 0o755);
