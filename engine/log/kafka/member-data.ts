import { TENTH_BEHAVIOUR } from '../../../schemas/log/behaviour-numbers.ts'

/**
 * Data that the members of a group exchange when they join: the partitions that a member holds, and the behaviour number of
 * its program. It is a JSON array of numbers, because programs of the tenth behaviour send and expect the partitions alone.
 * They ignore numbers beyond those of partitions, so one of these contains the behaviour.
 */
export interface MemberData {
  readonly held: readonly number[]
  readonly behaviour: number
}

/** Numbers from here on are not partitions. */
const BEYOND_PARTITIONS = 1_000_000

export function encodeMemberData({ held, behaviour }: MemberData): Buffer {
  const numbers = behaviour > TENTH_BEHAVIOUR ? [...held, BEYOND_PARTITIONS + behaviour] : held
  return Buffer.from(JSON.stringify(numbers))
}

/** @param data empty: a member that holds nothing */
export function decodeMemberData(data: Buffer | undefined): MemberData {
  const numbers = data === undefined || data.length === 0 ? [] : (JSON.parse(data.toString()) as number[])
  const isPartition = (number: number) => number < BEYOND_PARTITIONS
  const beyond = numbers.find(number => !isPartition(number)) ?? BEYOND_PARTITIONS + TENTH_BEHAVIOUR
  return { held: numbers.filter(isPartition), behaviour: beyond - BEYOND_PARTITIONS }
}

/** Lowest behaviour number of the members, as the member that distributes the partitions tells it to all. */
export function encodeLowest(members: readonly MemberData[]): Buffer {
  return Buffer.from(String(Math.min(...members.map(({ behaviour }) => behaviour))))
}

/** @param data empty: it is from a program of the tenth behaviour or before */
export function decodeLowest(data: Buffer | undefined): number {
  return data === undefined || data.length === 0 ? TENTH_BEHAVIOUR : Number(data.toString())
}
