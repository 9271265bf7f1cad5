/**
 * How much longer an honest deposit waits for its fill behind 14,000 deposits of dust in five transactions, under ids
 * of no order, and under that of a stranger's own quote. The result is a ratio to the same transfer without them.
 * Chains, store and service share the machine.
 */
import { Effect } from "effect"
import { privateKeyToAccount } from "viem/accounts"
import { ended, nativeRequest, quote, sendDeposit } from "../../testing/Client.ts"
import { named } from "../../testing/DustContract.ts"
import { orderIdOf } from "../../testing/Misbehaving.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"

const TRANSACTIONS = 5
const EACH = 2_800
const ROUNDS = 3

await Effect.runPromise(Effect.scoped(Effect.gen(function*() {
  const { chains: { alpha, beta, users: [stranger = "0x", user = "0x"] }, startHost } = yield* startNetwork
  const { url } = yield* startHost()
  /** Milliseconds from the deposit in a block to its fill in a block, as a client that polls sees both. */
  const honest = Effect.gen(function*() {
    const quoted = yield* quote(url, nativeRequest(privateKeyToAccount(user).address, alpha, beta, 10n ** 16n))
    yield* sendDeposit(alpha, user, quoted)
    const from = performance.now()
    yield* ended(url, quoted)
    return performance.now() - from
  })
  const own = yield* quote(url, nativeRequest(privateKeyToAccount(stranger).address, alpha, beta, 10n ** 16n))
  const kinds = [
    ["under ids of no order", yield* named(alpha, stranger, EACH)],
    ["under one order", yield* named(alpha, stranger, EACH, orderIdOf(own))]
  ] as const
  yield* honest
  const best = (times: ReadonlyArray<number>) => Math.min(...times)
  const alone = best(yield* Effect.forEach(Array.from({ length: ROUNDS }), () => honest))
  process.stdout.write(`\nTransfer service: an honest deposit behind ${TRANSACTIONS * EACH} of dust\n`)
  for (const [name, dust] of kinds) {
    const behind = Effect.andThen(Effect.forEach(Array.from({ length: TRANSACTIONS }), dust, { discard: true }), honest)
    const late = best(yield* Effect.forEach(Array.from({ length: ROUNDS }), () => behind))
    process.stdout.write(
      `  alone ${alone.toFixed(0)} ms, behind dust ${name} ${late.toFixed(0)} ms: ${
        (late / alone).toFixed(2)
      } times (aim: under 2,000 ms longer)\n`
    )
  }
})))
