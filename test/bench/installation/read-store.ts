import { openEmbeddedConnection } from '../../../engine/store/embedded-connection.ts'
import type { ColumnContents, StoreContents, TableContents } from './store-contents.ts'

/** usage: read-store.ts FOLDER; prints StoreContents as JSON. */

const TABLES = `
  SELECT table, sum(parts_of_day) AS parts, max(parts_of_day) AS partsOfDay, sum(r) AS rows, sum(b) AS bytes
  FROM (
    SELECT table, partition, count() AS parts_of_day, sum(rows) AS r, sum(bytes_on_disk) AS b
    FROM system.parts WHERE active AND database = currentDatabase() GROUP BY table, partition)
  GROUP BY table ORDER BY bytes DESC`

const COLUMNS = `
  SELECT name, sum(bytes) AS bytes FROM (
    SELECT column AS name, sum(column_data_compressed_bytes + column_marks_bytes) AS bytes
    FROM system.parts_columns
    WHERE active AND database = currentDatabase() AND table = 'slotted_lines' GROUP BY name
    UNION ALL
    SELECT concat('projection ', name), sum(bytes_on_disk) FROM system.projection_parts
    WHERE active AND database = currentDatabase() AND table = 'slotted_lines' GROUP BY name
    UNION ALL
    SELECT concat('index ', name), sum(data_compressed_bytes + marks_bytes) FROM system.data_skipping_indices
    WHERE database = currentDatabase() AND table = 'slotted_lines' GROUP BY name)
  GROUP BY name HAVING bytes > 0 ORDER BY bytes DESC`

const connection = await openEmbeddedConnection({ path: process.argv[2] as string, searches: 1 })
try {
  const contents: StoreContents = {
    tables: numbered<TableContents>(await connection.read(TABLES), 'table'),
    columns: numbered<ColumnContents>(await connection.read(COLUMNS), 'name'),
  }
  process.stdout.write(JSON.stringify(contents))
} finally {
  await connection.close()
}

/** The engine gives large whole numbers as texts. */
function numbered<Row>(rows: Record<string, string>[], text: string): Row[] {
  return rows.map(
    row =>
      Object.fromEntries(
        Object.entries(row).map(([name, value]) => [name, name === text ? value : Number(value)]),
      ) as Row,
  )
}
