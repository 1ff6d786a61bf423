/** A member of the group, and the partitions that it works on, or has not yet ended its work on. */
export interface GroupMember {
  readonly id: string
  readonly held: readonly number[]
}

/**
 * Shares out partitions evenly, and moves as few as that allows. One that moves is given to nobody for now: whoever
 * has it ends its work first, and the next round, which it asks for, gives it to the other.
 *
 * @returns by the id of the member
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

/** Who shall have what, once everybody has let go of the rest. */
function wantedPartitions(
  partitions: number,
  members: readonly GroupMember[],
): ReadonlyMap<string, readonly number[]> {
  const share = Math.floor(partitions / members.length)
  const larger = partitions % members.length
  const free = new Set(Array.from({ length: partitions }, (_, partition) => partition))
  const wanted = new Map<string, number[]>()
  // Who holds most has the larger share, so that less moves.
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
