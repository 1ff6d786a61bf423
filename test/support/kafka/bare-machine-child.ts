import { kafkaForTests } from './kafka-support.ts'
import { registryForTests } from './schema-registry.ts'

/** Asks for Kafka and a registry, twice, and says "none" when there was neither. */
for (const _ of ['first', 'second']) {
  const found = [await kafkaForTests(), await registryForTests()]
  console.log(found.every(each => each === undefined) ? 'none' : 'some')
}
