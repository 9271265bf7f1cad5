/**
 * Transactions with a list of calls in place of a recipient, calldata and a value (EIP-8130): real ones of a real chain,
 * and a node in front of it that shows them in that form (EVM-12).
 */
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { encodeFunctionData } from "viem"
import { lyingNode } from "../../testing/LyingNode.ts"
import type { Lie } from "../../testing/LyingNode.ts"
import { DepositWatcher } from "../../../../ports/chain/DepositWatcher.ts"
import { DirectPaymentWatcher } from "../../../../ports/chain/DirectPaymentWatcher.ts"
import { Address } from "../../../../src/domain/chain/Address.ts"
import type { Chain } from "../../../../src/domain/chain/Chain.ts"
import { ChainId } from "../../../../src/domain/chain/ChainId.ts"
import { alpha } from "../../../../src/domain/quote/testing/Chains.ts"
import { abi as depositoryAbi } from "../../../../adapters/ethereum/contracts/artifacts/Depository.ts"
import { useFixture, word } from "../../../../adapters/ethereum/contracts/testing/Fixture.ts"
import { EthereumEndpoints, layer as layerRpc } from "../../../../adapters/ethereum/rpc/EthereumRpc.ts"
import { layer as layerPayments } from "../../../../adapters/ethereum/watch/DirectPayments.ts"
import { layer as layerDeposits } from "../../../../adapters/ethereum/watch/Watcher.ts"

const fixture = useFixture()

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

/** Every transaction of this account in that form, whether alone or in its block. */
const shown = (value: unknown, by: string): unknown => {
  if (Array.isArray(value)) return value.map((each) => shown(each, by))
  if (!isObject(value)) return value
  const members = Object.entries(value)
  if ("input" in value && "from" in value && value.from === by) {
    return {
      ...Object.fromEntries(members.filter(([name]) => !["to", "input", "value"].includes(name))),
      type: "0x79",
      calls: []
    }
  }
  return Object.fromEntries(members.map(([name, member]) => [name, shown(member, by)]))
}

const callListsOf = (account: string): Lie => async ({ method }, truth) => {
  const answer = await truth()
  return method.startsWith("eth_getTransactionBy") || method.startsWith("eth_getBlockBy")
    ? { result: shown(answer.result, account.toLowerCase()) }
    : answer
}

it.live("a stranger's list of calls stops no scan, and what it deposits is found by its logs", () =>
  Effect.scoped(Effect.gen(function*() {
    const { client, depository, send, stranger, url, user } = fixture()
    const chain: Chain = {
      ...alpha,
      id: ChainId.make(fixture().chainId),
      depository: Address.make(depository.toLowerCase()),
      finality: { _tag: "Tag", tag: "finalized", seconds: 2 }
    }
    const sent = yield* Effect.promise(async () => {
      const { hash, number } = await client.getBlock()
      const data = encodeFunctionData({ abi: depositoryAbi, functionName: "depositNative", args: [user, word(1)] })
      const listed = await send(stranger, depository, data, 1_000n)
      const plain = await send(user, depository, data, 2_000n)
      const paid = await send(user, stranger, word(7), 1_000n)
      return { cursor: { hash, height: number }, listed, paid, plain }
    })
    const node = yield* lyingNode(url)
    node.lie(callListsOf(stranger))
    const endpoints = Layer.succeed(EthereumEndpoints, {
      urls: new Map([[chain.id, [Redacted.make(node.url)]]]),
      quorums: new Map([[chain.id, 1]])
    })
    yield* Effect.gen(function*() {
      const found = yield* Effect.flatMap(DepositWatcher, ({ scan }) => scan(chain, sent.cursor))
      assert.deepStrictEqual(
        found.deposits.map(({ amount, depositId, sender, transactionId }) => [
          String(transactionId),
          String(sender),
          String(depositId),
          amount
        ]),
        [
          [sent.listed.transactionHash, stranger.toLowerCase(), word(1), 1_000n],
          [sent.plain.transactionHash, user.toLowerCase(), word(1), 2_000n]
        ]
      )
      const { payments } = yield* Effect.flatMap(DirectPaymentWatcher, ({ scan }) => scan(chain, sent.cursor))
      assert.deepStrictEqual(payments.map(({ transactionId }) => String(transactionId)), [sent.paid.transactionHash])
    }).pipe(Effect.provide(
      Layer.merge(layerDeposits, layerPayments).pipe(Layer.provide(layerRpc.pipe(Layer.provide(endpoints))))
    ))
  })))
