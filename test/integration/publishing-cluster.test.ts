import { afterAll, beforeAll } from 'vitest'
import { describeKafka } from '../support/kafka/describe-kafka.ts'
import { RoleCluster } from '../support/role-cluster.ts'
import { testPublishing } from '../support/tested-publishing.ts'

await describeKafka('publishing in a cluster under load', {}, kafka => {
  let cluster: RoleCluster
  beforeAll(async () => {
    cluster = await RoleCluster.open(kafka, { partitions: 4, engines: 2 })
  })
  afterAll(() => cluster?.close())

  testPublishing(() => cluster, 10)
})
