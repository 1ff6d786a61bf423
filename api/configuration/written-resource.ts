import type { Kind } from '../../engine/configuration/kind.ts'
import type { ConfigurationPorts } from './configuration-ports.ts'
import { type Owned, OwnedEntities } from './owned-entities.ts'
import type { Resource } from './resource-routes.ts'

/** Members that a write does not change. */
export interface Kept {
  readonly account: string
  readonly createdAtMs: number
}

/** Turns writes into values, and values into records. */
export interface ResourceForm<Value, Write, Record> {
  /** @throws ApiError 400 when the write names something that does not exist */
  value(kept: Kept, write: Write, nowMs: number): Value
  record(entity: Owned<Value>): Record
}

/** Builds the resource of a kind of entities whose writes replace them as a whole. */
export function writtenResource<Value extends Kept, Write, Record>(
  kind: Kind<Value>,
  ports: Pick<ConfigurationPorts, 'configuration' | 'clock' | 'entropy'>,
  form: ResourceForm<Value, Write, Record>,
): Resource<Write, Record> {
  const { clock } = ports
  const entities = new OwnedEntities(kind, ports)
  return {
    list: caller => recordsOf(entities.list(caller), form.record),
    get: (caller, id) => form.record(entities.get(caller, id)),
    create: async (caller, write) => {
      const nowMs = clock.wallMs()
      const make = (account: string) => form.value({ account, createdAtMs: nowMs }, write, nowMs)
      return form.record(await entities.create(caller, make))
    },
    replace: async (caller, id, write) => {
      const nowMs = clock.wallMs()
      const edit = ({ account, createdAtMs }: Value) => form.value({ account, createdAtMs }, write, nowMs)
      return form.record(await entities.replace(caller, id, edit))
    },
    remove: (caller, id) => entities.remove(caller, id),
  }
}

function* recordsOf<Value, Record>(
  entities: readonly Owned<Value>[],
  record: (entity: Owned<Value>) => Record,
): Generator<Record> {
  for (const entity of entities) yield record(entity)
}
