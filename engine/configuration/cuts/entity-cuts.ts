import type { Cut } from '../../../schemas/log/control.ts'
import type { SentCuts } from '../../../schemas/log/cuts.ts'
import type { Catalogue } from '../../nodes/contract/catalogue.ts'
import type { Change } from '../configuration-log.ts'
import type { AnyKind, ConfigurationView, Entity, Kind } from '../kind.ts'

/** Origin of cuts. */
export interface CutOrigin {
  readonly catalogue: Catalogue
  readonly log: ConfigurationView
}

/** Cuts of the entities of one kind, as their file declares them. */
export interface EntityCutsDefinition<Value, Name extends keyof SentCuts> {
  readonly cut: Name
  /** Kind of the entities that partitions must know of. */
  readonly kind: Kind<Value>
  payloadOf(entity: Entity<Value>, origin: CutOrigin): SentCuts[Name]
  /** Text of a payload on the log. Absent: its JSON. */
  textOf?(payload: SentCuts[Name]): string
  /** Number of changes that each entity counts itself; it is the version of the cut. Absent: that is the entity's version. */
  readonly changes?: OwnChanges<Value>
  /**
   * Whether the present version is taken for the one in effect by a process that neither has the partition nor sent the
   * change. Absent: such a process does not know.
   */
  readonly isPresumed?: boolean
  /**
   * Value without effect for an entity that partitions know and the configuration does not have.
   *
   * @returns undefined when the cut has no effect that could be taken back
   */
  withoutEffect(cut: Cut): Value | undefined
}

export interface OwnChanges<Value> {
  of(value: Value): number
  set(value: Value, changes: number): Value
}

/** Cuts of the entities of one kind; without a type argument for callers that do not know their values. */
export interface EntityCuts<Value = never> {
  readonly cut: keyof SentCuts
  readonly kind: AnyKind
  /** Whether each entity counts its changes itself. Otherwise the versions of its cuts are those of the configuration. */
  readonly countsChanges: boolean
  cutOf(entity: Entity<Value>, origin: CutOrigin): Cut
  /** Version of the newest cut of an entity. */
  versionOf(entity: Entity<Value>): number
  /**
   * Version that a process takes for the one in effect if it neither has the partition nor sent the change.
   *
   * @returns undefined when it does not know
   */
  presumedVersion(view: ConfigurationView, entity: string): number | undefined
  /**
   * Change that replaces a lost one, of which partitions have the cut: the present value of the entity, in a newer version.
   *
   * @returns undefined when the configuration has nothing to replace it by
   */
  changeBeyond(cut: Cut, view: ConfigurationView): Change | undefined
}

export function defineEntityCuts<Value, Name extends keyof SentCuts>(
  definition: EntityCutsDefinition<Value, Name>,
): EntityCuts<Value> {
  const { cut: kindOfCut, kind, changes, textOf = JSON.stringify } = definition
  const versionOf = ({ version, value }: Entity<Value>) => changes?.of(value) ?? version
  return {
    cut: kindOfCut,
    kind: kind as AnyKind,
    countsChanges: changes !== undefined,
    versionOf,
    cutOf: (entity, origin) => ({
      kind: kindOfCut,
      entity: entity.id,
      version: versionOf(entity),
      payload: textOf(definition.payloadOf(entity, origin)),
    }),
    presumedVersion(view, entity) {
      const present = definition.isPresumed ? view.get(kind, entity) : undefined
      return present && versionOf(present)
    },
    changeBeyond(cut, view) {
      const present = view.get(kind, cut.entity)?.value ?? definition.withoutEffect(cut)
      if (present === undefined) return undefined
      const value = changes === undefined ? present : changes.set(present, cut.version + 1)
      return { kind: kind as AnyKind, id: cut.entity, expectedVersion: -1, value }
    },
  }
}
