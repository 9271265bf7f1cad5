/**
 * Deposits as fast as they are filled: a number of deposits is always on its way, and another one is sent for each that
 * is filled. So a worker is measured in the middle of its work, without the first and the last moments of a burst.
 *
 * Everything is quoted and signed beforehand, so the measured processes do nothing but detect and fill.
 */
import { Effect } from "effect"
import { parseEther } from "viem"
import type { Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { nativeRequest, quote, reader } from "../Client.ts"
import type { QuoteAnswer } from "../Client.ts"
import { keyAt } from "../TestChains.ts"
import type { TestChains } from "../TestChains.ts"
import { processorMsOf } from "./ProcessorTime.ts"

const AMOUNT = parseEther("0.01")

/** How many quotes are asked for at a time. */
const QUOTES_AT_A_TIME = 8

const LOOK_MS = 20

export interface SteadyLoad {
  /** Where quotes are asked for. */
  readonly url: string
  readonly chains: TestChains
  /** The processes that are measured. */
  readonly pids: () => ReadonlyArray<number>
}

export interface MeasuredFills {
  readonly perSecond: number
  /** Milliseconds of processor time a fill, of all measured processes together. */
  readonly each: number
  /** Cores that the measured processes kept busy. */
  readonly cores: number
}

const signed = (chains: TestChains, key: Hex, nonce: number, { steps }: QuoteAnswer) =>
  Effect.promise(() => {
    const data = steps.at(-1)?.items[0]?.data
    if (data === undefined) throw new Error("a quote without a deposit")
    return privateKeyToAccount(key).signTransaction({
      type: "eip1559",
      chainId: chains.alpha.chainId,
      nonce,
      to: data.to,
      data: data.data,
      value: BigInt(data.value),
      gas: BigInt(data.gas),
      maxFeePerGas: BigInt(data.maxFeePerGas),
      maxPriorityFeePerGas: BigInt(data.maxPriorityFeePerGas)
    })
  })

/** So many quoted and signed deposits of all users in turn. */
const prepare = Effect.fnUntraced(function*({ chains, url }: SteadyLoad, count: number) {
  const nonces = yield* Effect.forEach(
    chains.users,
    (key) =>
      Effect.promise(() => reader(chains.alpha).getTransactionCount({ address: privateKeyToAccount(key).address }))
  )
  return yield* Effect.forEach(Array.from({ length: count }), (_, index) =>
    Effect.gen(function*() {
      const key = keyAt(chains, index)
      const user = privateKeyToAccount(key).address
      const quoted = yield* quote(url, nativeRequest(user, chains.alpha, chains.beta, AMOUNT))
      const before = Math.floor(index / chains.users.length)
      return yield* signed(chains, key, (nonces[index % nonces.length] ?? 0) + before, quoted)
    }), { concurrency: QUOTES_AT_A_TIME })
})

/**
 * Measures `count` fills while `atATime` deposits are on their way, after as many fills that are not counted. Then
 * waits for what is still on its way.
 */
export const steadyFills = Effect.fnUntraced(function*(load: SteadyLoad, count: number, atATime: number) {
  const { chains: { alpha, beta, solver } } = load
  const filled = Effect.promise(() => reader(beta).getTransactionCount({ address: solver }))
  const raws = yield* prepare(load, count + 2 * atATime)
  const before = yield* filled
  let sent = 0
  const sendUpTo = Effect.fnUntraced(function*(most: number) {
    for (; sent < Math.min(most, raws.length); sent += 1) yield* alpha.request("eth_sendRawTransaction", [raws[sent]])
  })
  const until = (wanted: () => number, keep: number) =>
    Effect.gen(function*() {
      const now = (yield* filled) - before
      yield* sendUpTo(now + keep)
      if (now < wanted()) yield* Effect.sleep(LOOK_MS)
      return now
    }).pipe(Effect.repeat({ until: (now) => now >= wanted() }))
  const reading = (fills: number) => ({ fills, at: performance.now(), used: processorMsOf(load.pids()) })
  const from = reading(yield* until(() => atATime, atATime))
  const to = reading(yield* until(() => from.fills + count, atATime))
  yield* until(() => sent, 0)
  const fills = to.fills - from.fills
  return {
    perSecond: (fills * 1000) / (to.at - from.at),
    each: (to.used - from.used) / fills,
    cores: (to.used - from.used) / (to.at - from.at)
  } satisfies MeasuredFills
})

/** Milliseconds of processor time a second while there is nothing to do. */
export const idle = Effect.fnUntraced(function*({ pids }: SteadyLoad, seconds: number) {
  const [at, used] = [performance.now(), processorMsOf(pids())]
  yield* Effect.sleep(seconds * 1000)
  return ((processorMsOf(pids()) - used) * 1000) / (performance.now() - at)
})
