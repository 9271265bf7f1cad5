/**
 * A contract whose behaviour a stranger switches after a fill that calls it was signed. No simulation can detect this.
 */
import { Effect, Fiber } from "effect"
import { toHex } from "viem"
import type { Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { reader, sendCall } from "./Client.ts"
import type { QuoteAnswer } from "./Client.ts"
import { mineAt, pooled } from "./FeePressure.ts"
import { counter, eventually, holdMining, orderIdOf, resumeMining } from "./Misbehaving.ts"
import type { TestChains } from "./TestChains.ts"

/** Anyone sets its flag by calldata. Without calldata it does nothing, or burns all its gas when the flag is set. */
export const FLAGGED = "0x36600b57600054601357005b600035600055005b601356"

/**
 * A recipient of native currency with the same flag, which anyone sets by calldata without value. It accepts what it is
 * paid while the flag is clear, and burns all gas of a payment when it is set.
 */
export const SWITCHED = "0x34600b57600035600055005b600054601357005b601356"

/** Calldata that sets the flag, and calldata that clears it. */
export const ON = toHex(1n, { size: 32 })
export const OFF = toHex(0n, { size: 32 })

/**
 * The shared part of every detector's code: burns all its gas when `condition` leaves a value other than zero, and
 * otherwise does nothing.
 */
const burnsWhere = (condition: string): Hex => {
  const burn = (condition.length / 2 + 4).toString(16).padStart(2, "0")
  return `0x${condition}60${burn}57005b60${burn}56`
}

const above = (opcode: string, than: bigint): Hex => burnsWhere(`67${than.toString(16).padStart(16, "0")}${opcode}11`)

/**
 * Code that tells a real block from a simulated one, by its number, time, base fee or gas price, or by what the
 * contract has received.
 */
export const detectors = {
  number: (last: bigint) => above("43", last),
  time: (last: bigint) => above("42", last),
  baseFee: (most: bigint) => above("48", most),
  gasPrice: (most: bigint) => above("3a", most),
  /** Does not burn in the calls that send it money. */
  balance: burnsWhere("34154702")
}

const GWEI = 10n ** 9n

/** Comes before the solver's pending transactions. */
export const first = { gas: 100_000n, maxFeePerGas: 500n * GWEI, maxPriorityFeePerGas: 400n * GWEI }

/** What reverted calls have cost the solver on beta, in dollars, as a host counts it. */
export const lostUsd = (url: string) => counter(url, "reverted_calls_usd_total", "beta")

/** Blocks with almost no base fee, so that a fill's highest and actual cost are both the tip. */
export const cheapBlocks = Effect.fnUntraced(function*({ beta }: Pick<TestChains, "beta">) {
  for (let block = 0; block < 3; block += 1) yield* mineAt(beta, 1_000n)
})

/**
 * What the solver's transactions that name an order have cost it on a chain, in dollars at the price of the local
 * feeds.
 */
export const spentUsd = (chains: TestChains, on: "alpha" | "beta", quoted: QuoteAnswer) =>
  Effect.promise(async () => {
    const client = reader(chains[on])
    const heights = Array.from({ length: Number(await client.getBlockNumber()) + 1 }, (_, index) => BigInt(index))
    const blocks = await Promise.all(
      heights.map((blockNumber) => client.getBlock({ blockNumber, includeTransactions: true }))
    )
    const sent = blocks.flatMap(({ transactions }) => transactions).filter(({ from, input }) =>
      from.toLowerCase() === chains.solver.toLowerCase() && input.endsWith(orderIdOf(quoted).slice(2))
    )
    const receipts = await Promise.all(sent.map(({ hash }) => client.getTransactionReceipt({ hash })))
    return receipts.reduce(
      (sum, { effectiveGasPrice, gasUsed }) => sum + Number(gasUsed * effectiveGasPrice) / 1e18 * 2_500,
      0
    )
  })

/**
 * When the fills of the deposits wait in beta's pool, the stranger sets the flag in the same block, before them: the
 * calls revert.
 */
export const frontRun = Effect.fnUntraced(
  function*<E, R>(
    { beta, solver }: TestChains,
    deposit: Effect.Effect<unknown, E, R>,
    target: Hex,
    flag: Hex,
    stranger: Hex,
    { baseFee, fills = 1 }: { readonly fills?: number; readonly baseFee?: bigint } = {}
  ) {
    yield* holdMining(beta)
    yield* deposit
    yield* eventually("the fills wait", pooled(beta, solver), (waiting) => waiting.length >= fills)
    const setting = yield* Effect.forkChild(sendCall(beta, stranger, { to: target, data: flag, ...first }))
    yield* eventually(
      "the stranger waits",
      pooled(beta, privateKeyToAccount(stranger).address),
      (waiting) => waiting.length > 0
    )
    yield* baseFee === undefined ? beta.mine(1) : mineAt(beta, baseFee)
    yield* Fiber.join(setting)
    yield* resumeMining(beta)
  }
)
