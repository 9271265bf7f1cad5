/** The present output of every path through the pools, with the arithmetic of pools.c, and the best path. Pure. */
import type { Pool } from "../pools/Pools.ts"

const WHOLE = 10_000n

const divideUp = (a: bigint, b: bigint): bigint => (a + b - 1n) / b

/** The balances of the pools, by vault. */
export type Reserves = ReadonlyMap<string, bigint>

export interface Hop {
  readonly pool: Pool
  /** From the first side to the second. */
  readonly forward: boolean
  readonly amountIn: bigint
  readonly amountOut: bigint
}

export interface Asked {
  readonly inputMint: string
  readonly outputMint: string
  readonly amount: bigint
  readonly exact: "in" | "out"
  readonly mostHops: number
  /** False for a pool that must not be used. */
  readonly allows: (label: string) => boolean
}

type Step = Pick<Hop, "forward" | "pool">

export const sidesOf = ({ forward, pool: { sides: [a, b] } }: Step) => forward ? { from: a, to: b } : { from: b, to: a }

const held = (reserves: Reserves, step: Step) => {
  const { from, to } = sidesOf(step)
  return { into: reserves.get(from.vault) ?? 0n, out: reserves.get(to.vault) ?? 0n }
}

const forInput = (reserves: Reserves, step: Step, amountIn: bigint): Hop | undefined => {
  const { into, out } = held(reserves, step)
  if (into === 0n || out === 0n) return undefined
  const moved = amountIn - divideUp(amountIn * BigInt(step.pool.fee), WHOLE)
  return { ...step, amountIn, amountOut: (moved * out) / (into + moved) }
}

const forOutput = (reserves: Reserves, step: Step, amountOut: bigint): Hop | undefined => {
  const { into, out } = held(reserves, step)
  if (into === 0n || amountOut >= out) return undefined
  const moved = divideUp(amountOut * into, out - amountOut)
  return { ...step, amountIn: divideUp(moved * WHOLE, WHOLE - BigInt(step.pool.fee)), amountOut }
}

/** Every path that uses no pool and no token twice. */
const ways = (
  pools: ReadonlyArray<Pool>,
  at: string,
  goal: Pick<Asked, "mostHops" | "outputMint">,
  passed: ReadonlyArray<string>
): ReadonlyArray<ReadonlyArray<Step>> => {
  if (at === goal.outputMint) return [[]]
  if (passed.length >= goal.mostHops) return []
  return pools.flatMap((pool) =>
    [true, false].flatMap((forward) => {
      const step = { pool, forward }
      const { from, to } = sidesOf(step)
      if (from.mint.address !== at || to.mint.address === at || passed.includes(to.mint.address)) return []
      return ways(pools, to.mint.address, goal, [...passed, at]).map((rest) => [step, ...rest])
    })
  )
}

const carried = (
  reserves: Reserves,
  way: ReadonlyArray<Step>,
  { amount, exact }: Asked
): ReadonlyArray<Hop> | undefined => {
  const hops: Array<Hop> = []
  let next = amount
  for (const step of exact === "in" ? way : way.toReversed()) {
    const hop = exact === "in" ? forInput(reserves, step, next) : forOutput(reserves, step, next)
    if (hop === undefined || hop.amountIn === 0n || hop.amountOut === 0n) return undefined
    hops.push(hop)
    next = exact === "in" ? hop.amountOut : hop.amountIn
  }
  return exact === "in" ? hops : hops.toReversed()
}

/** The path with the most output, or the least input. Undefined when no path gives anything. */
export const bestRoute = (
  pools: ReadonlyArray<Pool>,
  reserves: Reserves,
  asked: Asked
): ReadonlyArray<Hop> | undefined => {
  if (asked.inputMint === asked.outputMint) return undefined
  const found = ways(pools.filter(({ label }) => asked.allows(label)), asked.inputMint, asked, [])
    .flatMap((way) => {
      const hops = carried(reserves, way, asked)
      return hops === undefined ? [] : [hops]
    })
  const worth = (hops: ReadonlyArray<Hop>) =>
    asked.exact === "in" ? hops.at(-1)?.amountOut ?? 0n : -(hops[0]?.amountIn ?? 0n)
  return found.toSorted((one, other) => worth(one) > worth(other) ? -1 : worth(one) < worth(other) ? 1 : 0)[0]
}
