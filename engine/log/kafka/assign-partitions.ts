/** A member of the group, with the partitions that it works on or is still releasing. */
export interface GroupMember {
  readonly id: string
  readonly held: readonly number[]
}

/**
 * Distributes partitions evenly and moves as few as possible. A partition that moves is first assigned to no member. Its
 * owner ends its work and asks for another round, which assigns the partition to the new owner.
 *
 * @returns partitions by member id
 */
export function assignPartitions(
  partitions: number,
  members: readonly GroupMember[],
): ReadonlyMap<string, readonly number[]> {
  const wanted = wantedPartitions(partitions, members)
  const holders = new Map<number, Set<string>>()
  for (const { id, held } of members)
    for (const partition of held) holders.set(partition, (holders.get(partition) ?? new Set()).add(id))
  const isFree = (partition: number, id: string) =>
    [...(holders.get(partition) ?? [])].every(holder => holder === id)
  return new Map(
    [...wanted].map(([id, each]) => [id, each.filter(partition => isFree(partition, id)).sort(ascending)]),
  )
}

/** Distribution to reach once all members have released their surplus. */
function wantedPartitions(
  partitions: number,
  members: readonly GroupMember[],
): ReadonlyMap<string, readonly number[]> {
  const share = Math.floor(partitions / members.length)
  const larger = partitions % members.length
  const free = new Set(Array.from({ length: partitions }, (_, partition) => partition))
  const wanted = new Map<string, number[]>()
  // The members that hold most get the larger shares, so that fewer partitions move.
  const sorted = [...members].sort((a, b) => b.held.length - a.held.length || (a.id < b.id ? -1 : 1))
  for (const [place, { id, held }] of sorted.entries()) {
    const quota = share + (place < larger ? 1 : 0)
    const kept = [...held]
      .sort(ascending)
      .filter(partition => free.has(partition))
      .slice(0, quota)
    for (const partition of kept) free.delete(partition)
    wanted.set(id, kept)
  }
  const left = [...free]
  for (const [place, { id }] of sorted.entries()) {
    const mine = wanted.get(id) as number[]
    mine.push(...left.splice(0, share + (place < larger ? 1 : 0) - mine.length))
  }
  return wanted
}

function ascending(a: number, b: number): number {
  return a - b
}
