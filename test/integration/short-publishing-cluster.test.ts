import { describeKafka } from '../support/kafka/describe-kafka.ts'
import { testPublishing } from '../support/tested-publishing.ts'

/** The short form of publishing-cluster.test.ts. */
await describeKafka('publishing a few times in a cluster under load', {}, kafka => {
  testPublishing(kafka, { partitions: 2, engines: 2, publishes: 2 })
})
