import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { assertRoomFor } from './definition-room.ts'

const NO_ROOM = Number.MAX_SAFE_INTEGER

test.each([
  'ALTER TABLE lines ADD COLUMN IF NOT EXISTS filtered UInt8',
  '-- Why.\n\nALTER TABLE lines MODIFY SETTING index_granularity = 1',
  "ALTER TABLE lines DELETE IN PARTITION 20260101 WHERE account = 'a' SETTINGS mutations_sync = 2",
  "ALTER TABLE lines MATERIALIZE PROJECTION usage IN PARTITION ID '20260101'",
  'CREATE TABLE usage_days_aside_1 AS usage_days',
])('a statement that writes a definition needs free space: %s', async sql => {
  await expect(assertRoomFor(sql, tmpdir(), NO_ROOM)).rejects.toThrow(/^Code: 243\. .* MB of free space/)
  await expect(assertRoomFor(sql, tmpdir(), 0)).resolves.toBeUndefined()
})

test.each([
  'ALTER TABLE lines DROP PARTITION 20260101',
  "ALTER TABLE lines FREEZE WITH NAME 'weir_copy'",
  'CREATE TABLE IF NOT EXISTS migrations (number UInt32) ENGINE = MergeTree ORDER BY number',
  'INSERT INTO lines VALUES (1)',
])('a statement that frees space, or only stores rows, does not: %s', async sql => {
  await expect(assertRoomFor(sql, tmpdir(), NO_ROOM)).resolves.toBeUndefined()
})
