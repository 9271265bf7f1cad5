/**
 * Latency from a mined deposit to its fill, by direction: EVM to EVM, EVM to Tron (until the payment is broadcast) in TRX
 * and in USDT, Tron to EVM, alternating in one run on one network with a block every second. Chains, store and service
 * share the machine.
 */
import { Effect } from "effect"
import { parseEther } from "viem"
import type { Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { usdt } from "../../../localnet/nodes/tron/Deposits.ts"
import { ended, nativeRequest, quote, sendDeposit } from "../../testing/Client.ts"
import { endedAnywhere } from "../../testing/SolanaClient.ts"
import { carriedOut, fromTron, isSentBy, namedBy, quoteTron, toTron } from "../../testing/TronClient.ts"
import { newTronAddress, startTronNetwork, TRX } from "../../testing/TronNetwork.ts"
import { orderIdOf } from "../../testing/Misbehaving.ts"
import { printLatencies } from "../../testing/load/Latencies.ts"

const ROUNDS = 8
const ETHER = parseEther("0.01")
const SUN = 50_000_000n
const NATIVE = "0x0000000000000000000000000000000000000000"

const timed = <A, E, R>(wait: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const from = performance.now()
    return Effect.map(wait, () => performance.now() - from)
  })

const program = Effect.scoped(Effect.gen(function*() {
  const { chains: { alpha, beta, users }, startHost, tron, tronSolver, wallet } = yield* startTronNetwork
  const { url } = yield* startHost()
  const { chain } = tron
  const userOf = (key: Hex) => privateKeyToAccount(key).address

  /** Returns once a payment for the order waits for a block, or is in one. */
  const broadcast = (order: Hex) =>
    Effect.sync(() => {
      const last = [...chain.ledger.from(chain.ledger.solid.number + 1, chain.ledger.tip.number)]
      const included = last.flatMap(({ executed }) => executed.map(({ transaction }) => transaction))
      return [...chain.waiting(), ...included].some((each) => isSentBy(tronSolver, each) && namedBy(each) === order)
    }).pipe(
      Effect.tap((paid) => paid ? Effect.void : Effect.sleep(10)),
      Effect.repeat({ until: (paid) => paid })
    )

  const evm = Effect.fnUntraced(function*(key: Hex) {
    const quoted = yield* quote(url, nativeRequest(userOf(key), alpha, beta, ETHER))
    yield* sendDeposit(alpha, key, quoted)
    return yield* timed(ended(url, quoted))
  })
  const evmToTron = Effect.fnUntraced(function*(key: Hex, currency: string) {
    const body = toTron(userOf(key), newTronAddress(), alpha.chainId, currency, { amount: `${ETHER}` })
    const quoted = yield* quote(url, body)
    yield* sendDeposit(alpha, key, quoted)
    return yield* timed(broadcast(orderIdOf(quoted)))
  })
  const tronToEvm = Effect.fnUntraced(function*(key: Hex) {
    const quoted = yield* quoteTron(url, fromTron(wallet, userOf(key), [alpha.chainId, NATIVE], [TRX, SUN]))
    yield* carriedOut(wallet, quoted)
    yield* tron.mine()
    return yield* timed(endedAnywhere(url, quoted))
  })

  const times: Record<"EVM to EVM" | "EVM to TRX" | "EVM to USDT" | "TRX to EVM", Array<number>> = {
    "EVM to EVM": [],
    "EVM to TRX": [],
    "EVM to USDT": [],
    "TRX to EVM": []
  }
  yield* Effect.raceFirst(
    Effect.gen(function*() {
      for (let round = 0; round < ROUNDS; round += 1) {
        const key = users[round % users.length] ?? "0x"
        times["EVM to EVM"].push(yield* evm(key))
        times["EVM to TRX"].push(yield* evmToTron(key, TRX))
        times["EVM to USDT"].push(yield* evmToTron(key, usdt))
        times["TRX to EVM"].push(yield* tronToEvm(key))
      }
    }),
    Effect.forever(Effect.delay(tron.mine(), "1 second"))
  )
  printLatencies(`Transfer service: deposit mined to fill, by direction, ${ROUNDS} transfers each`, times)
}))

await Effect.runPromise(program)
