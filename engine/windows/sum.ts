/**
 * Integers are added exactly; larger sums stay at the largest number. Before the fifth behaviour a sum of two integers
 * could exceed it.
 */
export function sumOf(one: number | bigint, other: number | bigint, isExact = true): number | bigint {
  if (typeof one === 'number' && typeof other === 'number') {
    const sum = one + other
    // This is the usual case. An addition of 0 turns -0 into 0.
    if (Number.isSafeInteger(sum) && Number.isSafeInteger(one) && Number.isSafeInteger(other)) return sum + 0
  }
  if (Number.isInteger(Number(one)) && Number.isInteger(Number(other))) {
    const isSafe = (value: number | bigint) => typeof value === 'bigint' || Number.isSafeInteger(value)
    if (isSafe(one) && isSafe(other)) {
      const sum = integer(BigInt(one) + BigInt(other))
      if (!isExact || Number.isFinite(Number(sum))) return sum
    }
  }
  const sum = Number(one) + Number(other)
  return Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, sum))
}

function integer(sum: bigint): number | bigint {
  const number = Number(sum)
  return Number.isSafeInteger(number) ? number : sum
}
