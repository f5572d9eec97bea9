/** Tasks and how far they have come. */
import type { Kysely } from 'kysely';

import type { RecordTransaction } from '../../db/database.ts';
import type { Answer, Checkpoint, Phase, Task, TaskFilter, Writeback } from './schema.ts';

/** Members that are JSON in their columns. */
type JsonColumn = 'required_skills' | 'required_tools' | 'brief';

type TaskRow = { readonly [Column in keyof Task]: Column extends JsonColumn ? string : Task[Column] };

export interface TaskSchema {
  readonly tasks: TaskRow;
  readonly task_checkpoints: Omit<Checkpoint, 'output'> & { readonly output: string };
  readonly task_answers: Answer & {
    readonly task_id: string;
    readonly attempt: number;
    readonly agent_id: string | null;
    readonly at: string;
  };
  readonly writebacks: Omit<Writeback, 'dirty'> & { readonly dirty: number };
}

type Database = Kysely<TaskSchema> | RecordTransaction;

const TASKS_SHOWN = 50;

export async function insertTask(transaction: RecordTransaction, task: Task): Promise<void> {
  await records(transaction).insertInto('tasks').values(encode(task)).execute();
}

/** Works on the database and inside a transaction alike, like every read here. */
export async function findTask(db: Database, idOrSlug: string): Promise<Task | null> {
  const row = await records(db)
    .selectFrom('tasks')
    .selectAll()
    .where((where) => where.or([where('id', '=', idOrSlug), where('slug', '=', idOrSlug)]))
    // A slug may look like the id of another; the id is meant then.
    .orderBy((order) => order.case().when('id', '=', idOrSlug).then(0).else(1).end())
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? null : decode(row);
}

export async function findTaskOfRun(db: Database, runId: string): Promise<Task | null> {
  const row = await records(db)
    .selectFrom('tasks')
    .selectAll()
    .where('run_id', '=', runId)
    .executeTakeFirst();
  return row === undefined ? null : decode(row);
}

/** Newest first. */
export async function listTasks(db: Database, filter: TaskFilter = {}): Promise<readonly Task[]> {
  let query = records(db)
    .selectFrom('tasks')
    .selectAll()
    .orderBy('id', 'desc')
    .limit(filter.limit ?? TASKS_SHOWN);
  if (filter.state !== undefined) query = query.where('state', '=', filter.state);
  if (filter.open === true) query = query.where('state', 'not in', ['DONE', 'CANCELLED']);
  return (await query.execute()).map(decode);
}

/** Slugs that begin like this one. */
export async function slugsLike(transaction: RecordTransaction, slug: string): Promise<ReadonlySet<string>> {
  const rows = await records(transaction)
    .selectFrom('tasks')
    .select('slug')
    .where('slug', 'like', `${slug}%`)
    .execute();
  return new Set(rows.map((row) => row.slug));
}

/** What of a task changes during its life. */
export type TaskChange = Partial<Omit<Task, 'id' | 'slug' | 'title' | 'description' | 'created_at'>>;

export async function changeTask(
  transaction: RecordTransaction,
  id: string,
  change: TaskChange,
): Promise<void> {
  await records(transaction).updateTable('tasks').set(encode(change)).where('id', '=', id).execute();
}

/** A phase that begins again in the same attempt, under another agent, takes the place of what was cut off. */
export async function putCheckpoint(transaction: RecordTransaction, checkpoint: Checkpoint): Promise<void> {
  const row = { ...checkpoint, output: JSON.stringify(checkpoint.output) };
  const { task_id: _, attempt: __, phase: ___, ...rest } = row;
  await records(transaction)
    .insertInto('task_checkpoints')
    .values(row)
    .onConflict((conflict) => conflict.columns(['task_id', 'attempt', 'phase']).doUpdateSet(rest))
    .execute();
}

const PHASE_ORDER: readonly Phase[] = ['GATHER', 'ANALYZE', 'PLAN', 'APPLY', 'VERIFY'];

/** By attempt, in the order of the phases. */
export async function findCheckpoints(db: Database, taskId: string): Promise<readonly Checkpoint[]> {
  const rows = await records(db)
    .selectFrom('task_checkpoints')
    .selectAll()
    .where('task_id', '=', taskId)
    .orderBy('attempt')
    .execute();
  return rows
    .map((row) => ({ ...row, output: JSON.parse(row.output) }))
    .sort((a, b) => a.attempt - b.attempt || PHASE_ORDER.indexOf(a.phase) - PHASE_ORDER.indexOf(b.phase));
}

export async function putAnswers(
  transaction: RecordTransaction,
  answers: readonly Answer[],
  facts: {
    readonly task_id: string;
    readonly attempt: number;
    readonly agent_id: string | null;
    readonly at: string;
  },
): Promise<void> {
  for (const answer of answers) {
    const { line, ...rest } = { ...answer, ...facts };
    await records(transaction)
      .insertInto('task_answers')
      .values({ line, ...rest })
      .onConflict((conflict) =>
        conflict
          .columns(['task_id', 'attempt', 'line'])
          .doUpdateSet({ verdict: answer.verdict, evidence: answer.evidence, at: facts.at }),
      )
      .execute();
  }
}

export async function findAnswers(db: Database, taskId: string, attempt: number): Promise<readonly Answer[]> {
  return records(db)
    .selectFrom('task_answers')
    .select(['line', 'verdict', 'evidence'])
    .where('task_id', '=', taskId)
    .where('attempt', '=', attempt)
    .orderBy('line')
    .execute();
}

export async function insertWriteback(transaction: RecordTransaction, writeback: Writeback): Promise<void> {
  await records(transaction)
    .insertInto('writebacks')
    .values({ ...writeback, dirty: writeback.dirty ? 1 : 0 })
    .execute();
}

export async function findWritebacks(db: Database, taskId: string): Promise<readonly Writeback[]> {
  const rows = await records(db)
    .selectFrom('writebacks')
    .selectAll()
    .where('task_id', '=', taskId)
    .orderBy('attempt')
    .execute();
  return rows.map((row) => ({ ...row, dirty: row.dirty === 1 }));
}

const JSON_COLUMNS: readonly JsonColumn[] = ['required_skills', 'required_tools', 'brief'];

function encode<Change extends Partial<Task>>(
  task: Change,
): { [Column in keyof Change]: TaskRow[Column & keyof TaskRow] } {
  const row: Record<string, unknown> = { ...task };
  for (const column of JSON_COLUMNS) if (column in row) row[column] = JSON.stringify(row[column]);
  // The same members; those of JSON_COLUMNS are text now.
  return row as { [Column in keyof Change]: TaskRow[Column & keyof TaskRow] };
}

/** The columns were written by `encode`, so their JSON has the types of a task. */
function decode(row: TaskRow): Task {
  return {
    ...row,
    required_skills: JSON.parse(row.required_skills),
    required_tools: JSON.parse(row.required_tools),
    brief: JSON.parse(row.brief),
  };
}

function records(db: Database): Kysely<TaskSchema> {
  return db as unknown as Kysely<TaskSchema>;
}
