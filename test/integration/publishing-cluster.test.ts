import { describeKafka } from '../support/kafka/describe-kafka.ts'
import { testPublishing } from '../support/tested-publishing.ts'

await describeKafka('publishing in a cluster under load', {}, kafka => {
  testPublishing(kafka, { partitions: 4, engines: 2, publishes: 10 })
})
