/** Makes a chain replace blocks that it had called final, and asks the host what it knows about that. */
import { Effect, Schema } from "effect"
import { parseEther } from "viem"
import type { Hex } from "viem"
import { fixtureOf } from "../../../../../scripts/testing/FixtureOf.ts"
import { nativeRequest } from "../../../testing/Client.ts"
import type { QuoteAnswer } from "../../../testing/Client.ts"
import { get } from "../../../testing/Get.ts"
import { eventually, orderIdOf, startMisbehaving } from "../../../testing/Misbehaving.ts"

/** The operator's token. */
export const ADMIN_TOKEN = "an-operators-token-of-a-test-0123456789"
const bearer = { authorization: `Bearer ${ADMIN_TOKEN}` }

export class Network extends fixtureOf<Network>()("test/HaltNetwork", startMisbehaving) {}

const Losses = Schema.Struct({
  losses: Schema.Array(Schema.Struct({
    kind: Schema.String,
    chainId: Schema.Int,
    orderId: Schema.String,
    transactionId: Schema.String,
    amount: Schema.String,
    recoveredAt: Schema.NullOr(Schema.String)
  }))
})

/** Every booked loss. */
export const losses = Effect.fnUntraced(function*(url: string) {
  const answer = yield* get(`${url}/admin/losses`, { headers: bearer })
  return (yield* Effect.orDie(Schema.decodeUnknownEffect(Losses)(answer.json()))).losses
})

/** The booked losses of a request. */
export const lossesOf = (url: string, quoted: QuoteAnswer) =>
  Effect.map(losses(url), (all) => all.filter(({ orderId }) => orderId === orderIdOf(quoted)))

/** The key of the user with this index. */
export const key = (index: number) => Effect.map(Network, (network) => network.key(index))

/** A request of a user for 0.1 ETH from alpha to beta. */
export const bodyOf = Effect.fnUntraced(function*(index: number, recipient: Hex) {
  const { chains: { alpha, beta }, user } = yield* Network
  return nativeRequest(user(index), alpha, beta, parseEther("0.1"), { recipient })
})

/** Resumes a chain, as an operator does once it may be used again. */
export const resume = (url: string, chainId: number) =>
  get(`${url}/admin/pauses/halt:${chainId}`, { method: "DELETE", headers: bearer })

export const isReady = (url: string) => Effect.map(get(`${url}/ready`), ({ status: code, text }) => ({ code, text }))

/** Waits until the host has read the chain a few more times, so that it has stored what is final now. */
export const remembered = Effect.fnUntraced(function*(chain: "alpha" | "beta") {
  const { alphaNode, betaNode } = yield* Network
  const node = chain === "alpha" ? alphaNode : betaNode
  const before = node.calls("eth_getBlockByNumber")
  yield* eventually(
    "the chain is looked at",
    Effect.sync(() => node.calls("eth_getBlockByNumber") - before),
    (count) => count >= 20
  )
})

/** A longer chain without anything that came after the snapshot. */
export const replaceFrom = Effect.fnUntraced(function*(chain: "alpha" | "beta", snapshot: unknown) {
  const { alphaNode, betaNode, chains } = yield* Network
  const [anvil, node] = chain === "alpha" ? [chains.alpha, alphaNode] : [chains.beta, betaNode]
  const height = yield* anvil.height
  node.hang()
  yield* anvil.request("evm_revert", [snapshot])
  yield* anvil.request("anvil_dropAllTransactions")
  yield* anvil.request("evm_increaseTime", [1])
  yield* anvil.mine(Number(height - (yield* anvil.height)) + 2)
  node.tellTheTruth()
})
