import { expect, test } from 'vitest'
import { INGEST_TOPIC, KEYED_TOPIC, KEYS_TOPIC, topicNumber } from './topics.ts'

test('a topic without lines has no number, so that no statement can name another topic instead', () => {
  expect([INGEST_TOPIC, KEYED_TOPIC].map(topicNumber)).toEqual([0, 1])
  for (const topic of [KEYS_TOPIC, 'weir.unknown']) expect(() => topicNumber(topic)).toThrow('has no lines')
})
