/**
 * Latency from a mined deposit to its mined fill, by family: EVM to EVM, EVM to Solana, Solana to EVM, in native
 * currency, and with a swap on Solana in the fill or before the deposit, alternating in one run on one network. A fill
 * counts once the request shows it. The EVM chains have a block every second and for every transaction,
 * the Solana chain a slot every 400 ms, like the public one. Chains, store and service share the machine.
 */
import { Effect } from "effect"
import { parseEther } from "viem"
import type { Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { usdc } from "../../../localnet/nodes/solana/Mints.ts"
import type { LocalKey } from "../../../localnet/nodes/solana/node/LocalKey.ts"
import { gem } from "../../../localnet/nodes/solana/pools/Pools.ts"
import { solanaChainId } from "../../../localnet/nodes/solana/SolanaChain.ts"
import { nativeRequest, quote, sendDeposit } from "../../testing/Client.ts"
import { endedAnywhere, quoteSolana, sendSolana } from "../../testing/SolanaClient.ts"
import { printLatencies } from "../../testing/load/Latencies.ts"
import { SOL, startSolanaNetwork } from "../../testing/SolanaNetwork.ts"

const SLOT_MS = 400
const ROUNDS = 8
const LAMPORTS = 1_000_000_000n

/** Milliseconds from an existing deposit to the shown end. */
const until = Effect.fnUntraced(function*(url: string, quoted: Parameters<typeof endedAnywhere>[1]) {
  const from = performance.now()
  const { status } = yield* endedAnywhere(url, quoted)
  if (status !== "success") return yield* Effect.die(new Error(`a transfer ended as ${status}`))
  return performance.now() - from
})

const program = Effect.scoped(Effect.gen(function*() {
  const { chains: { alpha, beta, users }, solana, solanaUsers, startHost } = yield* startSolanaNetwork(SLOT_MS)
  const { url } = yield* startHost()
  const userOf = (key: Hex) => privateKeyToAccount(key).address

  const evm = (key: Hex) =>
    Effect.gen(function*() {
      const quoted = yield* quote(url, nativeRequest(userOf(key), alpha, beta, parseEther("0.01")))
      yield* sendDeposit(alpha, key, quoted)
      return yield* until(url, quoted)
    })
  const toSolana = (key: Hex, to: LocalKey, destinationCurrency: string) =>
    Effect.gen(function*() {
      const changes = { recipient: to.address, destinationChainId: solanaChainId, destinationCurrency }
      const quoted = yield* quote(url, nativeRequest(userOf(key), alpha, beta, parseEther("0.01"), changes))
      yield* sendDeposit(alpha, key, quoted)
      return yield* until(url, quoted)
    })
  const sent = Effect.fnUntraced(function*(from: LocalKey, body: object) {
    const quoted = yield* quoteSolana(url, body)
    const data = quoted.steps[0]?.items[0]?.data
    if (data === undefined) return yield* Effect.die(new Error("a quote without a step"))
    yield* sendSolana(solana.url, [from], data)
    return quoted
  })
  const fromSolana = (from: LocalKey, key: Hex, originCurrency: string, amount: bigint) =>
    Effect.gen(function*() {
      const back = nativeRequest(userOf(key), alpha, beta, amount, {
        user: from.address,
        recipient: userOf(key),
        originChainId: solanaChainId,
        originCurrency
      })
      return yield* until(url, yield* sent(from, back))
    })

  const seller = solanaUsers.at(-1)
  if (seller === undefined) return yield* Effect.die(new Error("no user on Solana"))
  const bought = yield* sent(seller, {
    user: seller.address,
    originChainId: solanaChainId,
    originCurrency: usdc.address,
    destinationChainId: solanaChainId,
    destinationCurrency: gem.address,
    amount: "300000000",
    tradeType: "EXACT_INPUT"
  })
  yield* until(url, bought)

  const times: Record<string, Array<number>> = {
    "EVM to EVM": [],
    "EVM to Solana": [],
    "EVM to Solana, swapped in the fill": [],
    "Solana to EVM": [],
    "Solana to EVM, swapped before the deposit": []
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    const [key = "0x", wallet] = [users[round % users.length], solanaUsers[round % solanaUsers.length]]
    if (wallet === undefined) return yield* Effect.die(new Error("no user on Solana"))
    times["EVM to EVM"]?.push(yield* evm(key))
    times["EVM to Solana"]?.push(yield* toSolana(key, wallet, SOL))
    times["EVM to Solana, swapped in the fill"]?.push(yield* toSolana(key, wallet, gem.address))
    times["Solana to EVM"]?.push(yield* fromSolana(wallet, key, SOL, LAMPORTS / 10n))
    times["Solana to EVM, swapped before the deposit"]?.push(
      yield* fromSolana(seller, key, gem.address, 10n * 10n ** BigInt(gem.decimals))
    )
  }
  printLatencies(`Transfer service: deposit mined to fill mined, by family, ${ROUNDS} transfers each`, times)
}))

await Effect.runPromise(program)
