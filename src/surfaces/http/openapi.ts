/** The OpenAPI 3.1 document of the API, made from the table of routes. */
import { z } from 'zod';

import { PROBLEM_SCHEMA, PROBLEM_TYPE } from './problem.ts';
import type { Route } from './route.ts';

type JsonObject = Record<string, unknown>;

export function openApiDocument(routes: readonly Route[], version: string): JsonObject {
  const schemas: JsonObject = {};
  const schemaOf = (schema: z.ZodType, io: 'input' | 'output'): unknown =>
    hoist(z.toJSONSchema(schema, { io, unrepresentable: 'any' }), schemas);
  const problem = { [PROBLEM_TYPE]: { schema: schemaOf(PROBLEM_SCHEMA, 'output') } };
  const paths: Record<string, JsonObject> = {};
  for (const each of routes) {
    const operations = (paths[each.path] ??= {});
    operations[each.method] = {
      operationId: each.id,
      tags: [each.tag],
      summary: each.summary,
      parameters: [
        ...parametersOf(each.params, 'path', schemaOf),
        ...parametersOf(each.query, 'query', schemaOf),
      ],
      ...(each.body === null
        ? {}
        : {
            requestBody: {
              required: true,
              content: { 'application/json': { schema: schemaOf(each.body, 'input') } },
            },
          }),
      responses: {
        '200': {
          description: 'the answer',
          content: { 'application/json': { schema: schemaOf(each.answer, 'output') } },
        },
        default: { description: 'what went wrong', content: problem },
      },
    };
  }
  paths[STREAM_PATH] = { get: { ...STREAM_OPERATION, responses: { '200': STREAM_ANSWER } } };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Colibri',
      version,
      description: 'The skill registry of one workspace: skills, sessions, events, policy.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    security: [{}, { token: [] }],
    tags: [...new Set(routes.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: { schemas, securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
  };
}

export const STREAM_PATH = '/v1/events/stream';

const STREAM_ANSWER = {
  description: 'one message per event: `id` is its `seq`, `event` its type, `data` the event as JSON',
  content: { 'text/event-stream': { schema: { type: 'string' } } },
};

const STREAM_OPERATION = {
  operationId: 'followEvents',
  tags: ['events'],
  summary: 'new events as they happen, as server-sent events',
  parameters: [
    parameter('Last-Event-ID', 'header', 'the last `id` that was received; the stream goes on after it'),
    parameter(
      'after',
      'query',
      'the same for clients that cannot send the header; without both: from now on',
    ),
    parameter('session', 'query', 'only events of this session'),
    parameter('type', 'query', 'only events of these types, parted by commas'),
    parameter('level', 'query', 'public, pseudonymous (default) or private'),
  ],
};

function parameter(name: string, place: 'header' | 'query', description: string): JsonObject {
  return { name, in: place, required: false, description, schema: { type: 'string' } };
}

function parametersOf(
  schema: z.ZodObject | null,
  place: 'path' | 'query',
  schemaOf: (schema: z.ZodType, io: 'input' | 'output') => unknown,
): readonly JsonObject[] {
  return Object.entries(schema?.shape ?? {}).map(([name, member]) => {
    // Members of an object schema are schemas; the library declares them as its core type.
    const type = member as z.ZodType;
    const { description, ...rest } = schemaOf(type, 'input') as JsonObject;
    const required = place === 'path' || !type.safeParse(undefined).success;
    return { name, in: place, required, ...(description === undefined ? {} : { description }), schema: rest };
  });
}

/** Named schemas move to `components.schemas`, and references follow them. */
function hoist(schema: unknown, schemas: JsonObject): unknown {
  if (typeof schema !== 'object' || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map((item) => hoist(item, schemas));
  const { $schema: _, $defs, ...members } = schema as JsonObject;
  // In a list of properties it is a property like any other, hence no text.
  const { id, ...unnamed } = members;
  const rest = typeof id === 'string' ? unnamed : members;
  for (const [name, definition] of Object.entries(($defs ?? {}) as JsonObject))
    schemas[name] ??= hoist(withoutId(definition), schemas);
  const own = Object.fromEntries(
    // Every integer of JSON lies within these bounds; saying so only makes noise.
    Object.entries(rest)
      .filter(([, value]) => Math.abs(Number(value)) !== Number.MAX_SAFE_INTEGER)
      .map(([key, value]) =>
        key === '$ref' && typeof value === 'string'
          ? [key, value.replace('#/$defs/', '#/components/schemas/')]
          : [key, hoist(value, schemas)],
      ),
  );
  // A schema that is named itself stands for its own definition.
  if (typeof id !== 'string') return own;
  schemas[id] ??= own;
  return { $ref: `#/components/schemas/${id}` };
}

function withoutId(definition: unknown): unknown {
  const { id: _, ...rest } = definition as JsonObject;
  return rest;
}
