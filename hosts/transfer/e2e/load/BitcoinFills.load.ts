/**
 * Latency from a mined deposit to its fill, by direction: EVM to EVM, EVM to Bitcoin (until the payment is in the
 * mempool), Bitcoin to EVM, alternating in one run on one network with a block every second. Then 100 payments on
 * Bitcoin from a pool of 20 outputs, while no block comes: they spend each other's change. Chains, store and service
 * share the machine.
 */
import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import { parseEther } from "viem"
import type { Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { bitcoinChainId } from "../../../localnet/nodes/bitcoin/BitcoinChain.ts"
import { keyOf } from "../../../localnet/nodes/bitcoin/node/LocalKey.ts"
import { deposited, fromBitcoin, quoteBitcoin } from "../../testing/BitcoinClient.ts"
import { BTC, startBitcoinNetwork } from "../../testing/BitcoinNetwork.ts"
import { ended, nativeRequest, quote, sendDeposit } from "../../testing/Client.ts"
import { endedAnywhere } from "../../testing/SolanaClient.ts"
import { printLatencies } from "../../testing/load/Latencies.ts"

const ROUNDS = 8
const PAYMENTS = 100
const POOL = 20
const ONE = 100_000_000n
const SATOSHI = 50_000n
const ETHER = parseEther("0.01")
const NATIVE = "0x0000000000000000000000000000000000000000"

const newScript = () => keyOf(new Uint8Array(randomBytes(32)))

const program = Effect.scoped(Effect.gen(function*() {
  const network = yield* startBitcoinNetwork
  const { bitcoin, bitcoinSolver, chains: { alpha, beta, users }, give, heldOnBitcoin, startHost, wallet } = network
  // The network's solver has ten coins already.
  yield* give(bitcoinSolver.script, ...Array.from({ length: POOL - 10 }, () => ONE))
  const { url } = yield* startHost()
  const userOf = (key: Hex) => privateKeyToAccount(key).address

  const toBitcoin = (key: Hex, recipient: string) =>
    quote(
      url,
      nativeRequest(userOf(key), alpha, beta, ETHER, {
        recipient,
        destinationChainId: bitcoinChainId,
        destinationCurrency: BTC
      })
    )

  /** Returns once so many payments have been broadcast to these addresses, in blocks or not. */
  const paid = (recipients: ReadonlyArray<{ readonly script: Uint8Array; readonly address: string }>) =>
    Effect.sync(() => {
      const scripts = new Set(recipients.map(({ script }) => Buffer.from(script).toString("hex")))
      const waiting = bitcoin.chain.waiting().flatMap(({ id }) => bitcoin.chain.ledger.transaction(id)?.outs ?? [])
      const shown = new Set(waiting.map(({ script }) => Buffer.from(script).toString("hex")))
      const inBlocks = recipients.filter(({ address }) => heldOnBitcoin(address) > 0n)
      return inBlocks.length + [...scripts].filter((script) => shown.has(script)).length
    }).pipe(
      Effect.tap((count) => count >= recipients.length ? Effect.void : Effect.sleep(10)),
      Effect.repeat({ until: (count) => count >= recipients.length })
    )

  const timed = <A, E, R>(wait: Effect.Effect<A, E, R>) =>
    Effect.suspend(() => {
      const from = performance.now()
      return Effect.as(wait, from)
    }).pipe(Effect.map((from) => performance.now() - from))

  const evm = Effect.fnUntraced(function*(key: Hex) {
    const quoted = yield* quote(url, nativeRequest(userOf(key), alpha, beta, ETHER))
    yield* sendDeposit(alpha, key, quoted)
    return yield* timed(ended(url, quoted))
  })
  const evmToBitcoin = Effect.fnUntraced(function*(key: Hex) {
    const recipient = newScript()
    const quoted = yield* toBitcoin(key, recipient.address)
    yield* sendDeposit(alpha, key, quoted)
    return yield* timed(paid([recipient]))
  })
  const bitcoinToEvm = Effect.fnUntraced(function*(key: Hex) {
    const user = yield* wallet("P2WPKH", SATOSHI * 4n)
    const quoted = yield* quoteBitcoin(url, fromBitcoin(user, userOf(key), [alpha.chainId, NATIVE], SATOSHI))
    yield* deposited(bitcoin, user, quoted)
    yield* bitcoin.mine()
    return yield* timed(endedAnywhere(url, quoted))
  })

  const times: Record<string, Array<number>> = { "EVM to EVM": [], "EVM to Bitcoin": [], "Bitcoin to EVM": [] }
  yield* Effect.raceFirst(
    Effect.gen(function*() {
      for (let round = 0; round < ROUNDS; round += 1) {
        const key = users[round % users.length] ?? "0x"
        times["EVM to EVM"]?.push(yield* evm(key))
        times["EVM to Bitcoin"]?.push(yield* evmToBitcoin(key))
        times["Bitcoin to EVM"]?.push(yield* bitcoinToEvm(key))
      }
    }),
    Effect.forever(Effect.delay(bitcoin.mine(), "1 second"))
  )
  printLatencies(`Transfer service: deposit mined to fill shown, by direction, ${ROUNDS} transfers each`, times)

  yield* bitcoin.mine(2)
  const recipients = Array.from({ length: PAYMENTS }, newScript)
  const quotes = yield* Effect.forEach(
    recipients,
    ({ address }, nth) => {
      const key = users[nth % users.length] ?? "0x"
      return Effect.map(toBitcoin(key, address), (quoted) => ({ key, quoted }))
    },
    { concurrency: 4 }
  )
  const from = performance.now()
  yield* Effect.forEach(
    Map.groupBy(quotes, ({ key }) => key).values(),
    (own) => Effect.forEach(own, ({ key, quoted }) => sendDeposit(alpha, key, quoted), { discard: true }),
    { concurrency: "unbounded", discard: true }
  )
  const sentAfter = performance.now() - from
  yield* paid(recipients)
  const all = performance.now() - from
  const waiting = bitcoin.chain.waiting().map(({ id }) => id)
  const chained = waiting.filter((id) =>
    bitcoin.chain.ledger.transaction(id)?.ins.some(({ hash }) =>
      waiting.includes(Buffer.from(hash.toReversed()).toString("hex"))
    )
  )
  process.stdout.write(
    `\nTransfer service: ${PAYMENTS} payments on Bitcoin from ${POOL} outputs, no block meanwhile\n` +
      `  deposits mined after ${sentAfter.toFixed(0)} ms, all payments broadcast after ${all.toFixed(0)} ms (${
        (PAYMENTS / (all / 1_000)).toFixed(1)
      } a second), ${chained.length} of ${waiting.length} by change that waits\n`
  )
}))

await Effect.runPromise(program)
