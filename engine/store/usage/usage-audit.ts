import { LINE_TABLES, type LineTable } from '../../../schemas/log/tables.ts'
import { textLiteral } from '../sql-text.ts'
import type { ProjectionDifference, UsageDifference, UsageSums } from '../store-audit.ts'
import { DAYS_WITH_LINES } from './usage-days.ts'

/** Tags of a line by its columns, as in alias `tags` of the table (migrations/0009-slotted-lines.sql). */
const TAGS: Readonly<Record<LineTable, string>> = {
  lines: 'tags',
  slotted_lines: `arrayMap(v -> replaceAll(replaceAll(v, '\\x1e1', '\\x1f'), '\\x1e0', '\\x1e'), arrayPopBack(splitByChar('\\x1f', tag_list)))`,
}

/** The digest of a group of usage, the same in lines of all tables, in their projection and in closed days. */
export function groupDigest(table: LineTable, second?: string): string {
  const columns = ['account', ...(second === undefined ? [] : [second]), 'app', 'host', TAGS[table], 'pool']
  return `cityHash64(${columns.join(', ')})`
}

const CLOSED_DIGEST = groupDigest('lines')

/** Maximum number of checks: a part may be merged between two of them, and a new part is then checked again. */
const PROJECTION_LOOKS = 3

type Read = <Row>(sql: string) => Promise<Row[]>

/** Compares the three places with usage: lines, their projection, and closed days. */
export class UsageAudit {
  readonly #read: Read

  constructor(read: Read) {
    this.#read = read
  }

  async days(): Promise<string[]> {
    const rows = await this.#read<{ day: string }>(
      `SELECT DISTINCT day FROM (${DAYS_WITH_LINES} UNION ALL SELECT DISTINCT day FROM usage_days) ORDER BY day`,
    )
    return rows.map(({ day }) => day)
  }

  async isClosed(day: string): Promise<boolean> {
    return (await this.closedUsage(day)) !== undefined
  }

  async closedUsage(day: string): Promise<UsageSums | undefined> {
    const [row] = await this.#read<SumsRow & { rows: string }>(
      `SELECT count() AS rows, sum(lines) AS n, sum(bytes) AS b,
  sum(${CLOSED_DIGEST} * lines) AS n_digest, sum(${CLOSED_DIGEST} * bytes) AS b_digest
FROM usage_days WHERE day = toDate(${textLiteral(day)})`,
    )
    return row === undefined || row.rows === '0' ? undefined : usageSums(row)
  }

  async firstDifference(
    day: string,
    mayLackLines: (account: string) => boolean,
  ): Promise<UsageDifference | undefined> {
    const differing = await this.#read<{ account: string }>(
      `SELECT account FROM (${bothSides(day)}) GROUP BY account
HAVING sum(lines_n) != sum(closed_n) OR sum(lines_b) != sum(closed_b)
  OR sum(digest * lines_n) != sum(digest * closed_n) OR sum(digest * lines_b) != sum(digest * closed_b)
ORDER BY account`,
    )
    if (differing.length === 0) return undefined
    const whole = differing.map(({ account }) => account).filter(account => !mayLackLines(account))
    const isWhole = whole.length === 0 ? '0' : `account IN (${whole.map(textLiteral).join(', ')})`
    const [row] = await this.#read<DifferenceRow>(
      `SELECT account, app, host, tags, pool, sum(lines_n) AS ln, sum(lines_b) AS lb, sum(closed_n) AS cn, sum(closed_b) AS cb
FROM (${bothSides(day)}) GROUP BY account, app, host, tags, pool
HAVING ln > cn OR lb > cb OR (${isWhole} AND (ln != cn OR lb != cb))
ORDER BY account, app, host, tags, pool LIMIT 1`,
    )
    return row && usageDifference(row)
  }

  async firstProjectionDifference(day: string): Promise<ProjectionDifference | undefined> {
    for (const table of LINE_TABLES) {
      const difference = await this.#firstProjectionDifference(table, day)
      if (difference !== undefined) return difference
    }
    return undefined
  }

  async #firstProjectionDifference(table: LineTable, day: string): Promise<ProjectionDifference | undefined> {
    for (let look = 0; look < PROJECTION_LOOKS; look++) {
      const byRows = await this.#partSums(rowsByPart(table, day))
      // The engine cannot read the projection of a table without parts.
      if (byRows.size === 0) return undefined
      const byProjection = await this.#partSums(projectionByPart(table, day))
      for (const [part, expected] of byRows) {
        const found = byProjection.get(part)
        if (found !== undefined && !sameSums(expected, found))
          return { part, expected: usageSums(expected), found: usageSums(found) }
      }
      if ([...byRows.keys()].every(part => byProjection.has(part))) return undefined
    }
    return undefined
  }

  async #partSums(sql: string): Promise<Map<string, SumsRow>> {
    const rows = await this.#read<SumsRow & { part: string }>(sql)
    return new Map(rows.map(row => [row.part, row]))
  }
}

interface SumsRow {
  readonly n: string
  readonly b: string
  readonly n_digest: string
  readonly b_digest: string
}

interface DifferenceRow {
  readonly account: string
  readonly app: string
  readonly host: string
  readonly tags: readonly string[]
  readonly pool: number
  readonly ln: string
  readonly lb: string
  readonly cn: string
  readonly cb: string
}

/** Groups of the day's lines and of its closed usage, each with zeros for the other. */
function bothSides(day: string): string {
  const group = 'account, app, host, tags, pool'
  const ofLines = (
    table: LineTable,
  ) => `SELECT ${group}, ${CLOSED_DIGEST} AS digest, count() AS lines_n, sum(size) AS lines_b,
  toUInt64(0) AS closed_n, toUInt64(0) AS closed_b
FROM ${table} WHERE toYYYYMMDD(t) = ${day.replaceAll('-', '')} GROUP BY ${group}
UNION ALL `
  return `${LINE_TABLES.map(ofLines).join('')}SELECT ${group}, ${CLOSED_DIGEST} AS digest, toUInt64(0), toUInt64(0), lines, bytes
FROM usage_days WHERE day = toDate(${textLiteral(day)})`
}

/** Rows by part. A part never changes, so inserts and merges between two statements have no effect. */
function rowsByPart(table: LineTable, day: string): string {
  const digest = groupDigest(table, 'toDateTime(t)')
  return `SELECT _part AS part, count() AS n, sum(size) AS b, sum(${digest}) AS n_digest, sum(${digest} * size) AS b_digest
FROM ${table} WHERE toYYYYMMDD(t) = ${day.replaceAll('-', '')} GROUP BY part SETTINGS optimize_use_projections = 0`
}

function projectionByPart(table: LineTable, day: string): string {
  const digest = groupDigest(table, '`toDateTime(t)`')
  const [lines, bytes] = ['finalizeAggregation(`count()`)', 'finalizeAggregation(`sum(size)`)']
  return `SELECT _part AS part, sum(${lines}) AS n, sum(${bytes}) AS b, sum(${digest} * ${lines}) AS n_digest, sum(${digest} * ${bytes}) AS b_digest
FROM mergeTreeProjection(currentDatabase(), '${table}', 'usage')
WHERE startsWith(_part, '${day.replaceAll('-', '')}_') GROUP BY part`
}

function usageSums({ n, b, n_digest, b_digest }: SumsRow): UsageSums {
  return { lines: Number(n), bytes: Number(b), linesDigest: BigInt(n_digest), bytesDigest: BigInt(b_digest) }
}

function sameSums(a: SumsRow, b: SumsRow): boolean {
  return a.n === b.n && a.b === b.b && a.n_digest === b.n_digest && a.b_digest === b.b_digest
}

function usageDifference({ account, app, host, tags, pool, ln, lb, cn, cb }: DifferenceRow): UsageDifference {
  return {
    account,
    app,
    host,
    tags,
    poolDays: pool,
    expected: { lines: Number(ln), bytes: Number(lb) },
    found: { lines: Number(cn), bytes: Number(cb) },
  }
}
