/** Where log lines go: stderr in production, a spy in tests, never stdout. */
export type Logger = (...args: unknown[]) => void;
