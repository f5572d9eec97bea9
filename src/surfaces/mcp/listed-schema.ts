/** The schema of a tool as clients get it: what a model needs in order to call it, in few words. Pure. */

/** The server holds them anyway and says which one was passed; a list that every prompt carries need not. */
const LIMITS: readonly string[] = [
  '$schema',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minimum',
  'maximum',
  'pattern',
];

export function listedSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(listedSchema);
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key, value]) => !isLimit(key, value))
      .map(([key, value]) => [key, key === 'properties' ? listedProperties(value) : listedSchema(value)]),
  );
}

/** Their names are data and may be called like a limit. */
function listedProperties(properties: object): object {
  return Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, listedSchema(each)]));
}

function isLimit(key: string, value: unknown): boolean {
  return LIMITS.includes(key) || (key === 'additionalProperties' && value === false);
}
