// tsc emits TypeScript only; the SQL migrations and their lock travel with the build by this copy.
import { cpSync, rmSync } from 'node:fs';

// A migration that was renumbered since the last build must not stay behind under its old name.
rmSync('dist/db/migrations', { recursive: true, force: true });
cpSync('src/db/migrations', 'dist/db/migrations', { recursive: true });
