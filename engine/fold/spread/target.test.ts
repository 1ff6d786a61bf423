import { expect, test } from 'vitest'
import { nameOfTarget, type TargetTopic } from './target.ts'

test.each<[TargetTopic, string]>([
  ['ingest', 'weir.ingest'],
  ['keyed', 'weir.keyed'],
  ['deadLetters', 'weir.dead-letter'],
])('a target of purpose "%s" is a partition of the topic %s', (topic, name) => {
  expect(nameOfTarget({ topic, partition: 3 })).toEqual({ topic: name, partition: 3 })
})
