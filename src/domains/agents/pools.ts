/** What kinds of work agents are kept for. On its own, because the command line lists them without loading any schema. */
export const POOLS = ['research', 'implementation', 'verification', 'review'] as const;
