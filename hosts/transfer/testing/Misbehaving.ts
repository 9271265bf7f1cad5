/**
 * A network whose nodes lie when told to, and what a test looks at: payments on the chains, and what operators are
 * shown.
 */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { inspect } from "node:util"
import type { Hex } from "viem"
import type { Anvil } from "../../localnet/nodes/ethereum/Anvil.ts"
import { numberBeside } from "./BesideStore.ts"
import { reader } from "./Client.ts"
import type { QuoteAnswer } from "./Client.ts"
import { lyingNode } from "./LyingNode.ts"
import { startFixture } from "./Fixture.ts"
import type { TestChains } from "./TestChains.ts"
import { hostsOver, startNetwork } from "./TransferNetwork.ts"
import { fetchOnce } from "./Get.ts"

/** A node that can lie stands between the host and each chain. The test itself reads the chains directly. */
export const startMisbehaving = Effect.gen(function*() {
  const network = yield* startNetwork
  const alphaNode = yield* lyingNode(network.chains.alpha.url)
  const betaNode = yield* lyingNode(network.chains.beta.url)
  const hosts = hostsOver({ ...network.environment, ALPHA_RPC_URL: alphaNode.url, BETA_RPC_URL: betaNode.url })
  return { ...network, alphaNode, betaNode, ...hosts }
})

/** The same with a host that runs. */
export const runMisbehaving = startFixture(startMisbehaving)

/** Polls until it holds. After five minutes fails with what did not hold, and the last value. */
export const eventually = <A, E, R>(what: string, look: Effect.Effect<A, E, R>, holds: (seen: A) => boolean) =>
  Effect.suspend(() => {
    let last: A | undefined
    return look.pipe(
      Effect.tap((seen) => {
        last = seen
        return holds(seen) ? Effect.void : Effect.sleep(25)
      }),
      Effect.repeat({ until: holds }),
      Effect.timeoutOrElse({
        duration: "300 seconds",
        orElse: () => Effect.die(new Error(`never held: ${what}; seen last: ${inspect(last, { depth: 5 })}`))
      })
    )
  })

/**
 * A counter of `GET /metrics` by its only label: `counter(url, "alarms_total", "treasury-empty")`. Zero when it is
 * missing.
 */
export const counter = (url: string, name: string, label: string) =>
  Effect.promise(async () => {
    const text = await fetchOnce(`${url}/metrics`).then((response) => response.text())
    const line = text.split("\n").find((each) => each.startsWith(`causeway_${name}{`) && each.includes(`"${label}"`))
    return Number(line?.split(" ").at(-1) ?? "0")
  })

export const alarms = (url: string, what: string) => counter(url, "alarms_total", what)

/** Deposits that were closed: filled, refunded, gone, foreign, unrefundable. */
export const closed = (url: string, outcome: string) => counter(url, "deposits_total", outcome)

/** The number of deposits in an embedded store that are not closed. The hosts of one network share a store. */
export const openDeposits = (environment: Readonly<Record<string, string>>) =>
  numberBeside(environment["DATABASE_URL"] ?? "", "SELECT COUNT(*) AS n FROM deposits WHERE state = 'open'")

export const balanceOf = (anvil: Anvil, address: Hex) => Effect.promise(() => reader(anvil).getBalance({ address }))

/** The order that a quote's deposit names: the last word of its calldata. */
export const orderIdOf = ({ steps }: QuoteAnswer): Hex => `0x${steps.at(-1)?.items[0]?.data.data.slice(-64) ?? ""}`

/** Every transaction of an account on a chain, in its order there. */
export const sentBy = (anvil: Anvil, account: Hex) =>
  Effect.promise(async () => {
    const client = reader(anvil)
    const height = await client.getBlockNumber()
    const heights = Array.from({ length: Number(height) + 1 }, (_, index) => BigInt(index))
    const blocks = await Promise.all(
      heights.map((blockNumber) => client.getBlock({ blockNumber, includeTransactions: true }))
    )
    return blocks.flatMap(({ transactions }) => transactions).filter(({ from }) =>
      from.toLowerCase() === account.toLowerCase()
    )
  })

/** Every transaction of the solver on the chain that names the order: fills on one side, refunds on the other. */
export const paymentsOf = (anvil: Anvil, solver: Hex, quoted: QuoteAnswer) =>
  Effect.map(sentBy(anvil, solver), (all) => all.filter(({ input }) => input === orderIdOf(quoted)))

/** The order was filled by one transaction, and refunded by none. */
export const assertFilledOnce = Effect.fnUntraced(
  function*({ alpha, beta, solver }: Pick<TestChains, "alpha" | "beta" | "solver">, quoted: QuoteAnswer) {
    assert.lengthOf(yield* paymentsOf(beta, solver, quoted), 1)
    assert.lengthOf(yield* paymentsOf(alpha, solver, quoted), 0)
  }
)

/** The recipient, whom nobody else pays, has what was quoted. */
export const assertDelivered = Effect.fnUntraced(
  function*({ beta }: Pick<TestChains, "beta">, quoted: QuoteAnswer, recipient: Hex) {
    assert.strictEqual(yield* balanceOf(beta, recipient), BigInt(quoted.details.currencyOut.amount))
  }
)

/** What was refunded by one transaction is what its recipient has, whom nobody else pays: how much. */
export const assertRefundedOnce = Effect.fnUntraced(
  function*({ alpha, solver }: Pick<TestChains, "alpha" | "solver">, quoted: QuoteAnswer, refundTo: Hex) {
    const refunds = yield* paymentsOf(alpha, solver, quoted)
    assert.lengthOf(refunds, 1)
    const value = refunds[0]?.value ?? 0n
    assert.strictEqual(yield* balanceOf(alpha, refundTo), value)
    return value
  }
)

/** Blocks are mined only when the test says so. */
export const holdMining = (anvil: Anvil) =>
  Effect.andThen(anvil.request("evm_setIntervalMining", [0]), anvil.request("evm_setAutomine", [false]))

/** One block each second again. */
export const resumeMining = (anvil: Anvil) => anvil.request("evm_setIntervalMining", [1])
