/**
 * Nodes that have pruned: real blocks of a real chain, and a node in front of it that has no logs below a block, says
 * that there are none, and gives no error (EVM-7).
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Result } from "effect"
import { encodeFunctionData, erc20Abi } from "viem"
import type { Hex } from "viem"
import { lyingNode } from "../../testing/LyingNode.ts"
import type { Answer, Call, LyingNode } from "../../testing/LyingNode.ts"
import { CreditWatcher } from "../../../../ports/chain/CreditWatcher.ts"
import { DepositWatcher } from "../../../../ports/chain/DepositWatcher.ts"
import type { Cursor } from "../../../../ports/chain/DepositWatcher.ts"
import { DirectPaymentWatcher } from "../../../../ports/chain/DirectPaymentWatcher.ts"
import { Address, CurrencyAddress } from "../../../../src/domain/chain/Address.ts"
import type { Chain } from "../../../../src/domain/chain/Chain.ts"
import { ChainId } from "../../../../src/domain/chain/ChainId.ts"
import { parseTransactionId } from "../../../../src/domain/chain/TransactionId.ts"
import { alpha } from "../../../../src/domain/quote/testing/Chains.ts"
import { abi as depositoryAbi } from "../../../../adapters/ethereum/contracts/artifacts/Depository.ts"
import { useFixture, word } from "../../../../adapters/ethereum/contracts/testing/Fixture.ts"
import { EthereumEndpoints, layer as layerRpc } from "../../../../adapters/ethereum/rpc/EthereumRpc.ts"
import { layer as layerCredits } from "../../../../adapters/ethereum/watch/Credits.ts"
import { layer as layerPayments } from "../../../../adapters/ethereum/watch/DirectPayments.ts"
import { layer as layerDeposits } from "../../../../adapters/ethereum/watch/Watcher.ts"

const fixture = useFixture()

const lower = (address: Hex): Address => Address.make(address.toLowerCase())

const chainOf = (): Chain => ({
  ...alpha,
  id: ChainId.make(fixture().chainId),
  depository: lower(fixture().depository),
  currencies: [alpha.native, {
    ...alpha.native,
    address: CurrencyAddress.make(lower(fixture().usdc)),
    isNative: false
  }],
  finality: { _tag: "Tag", tag: "finalized", seconds: 2 }
})

const idOf = (hash: Hex) => Result.getOrThrow(parseTransactionId(alpha.family, hash))

/** Another name of the loopback is another host. */
const elsewhere = (url: string): string => url.replace("127.0.0.1", "localhost")

const through = (urls: ReadonlyArray<string>, quorum = 1) => {
  const { id } = chainOf()
  const endpoints = Layer.succeed(EthereumEndpoints, {
    urls: new Map([[id, urls.map((url) => Redacted.make(url))]]),
    quorums: new Map([[id, quorum]])
  })
  return Layer.mergeAll(layerDeposits, layerCredits, layerPayments).pipe(
    Layer.provide(layerRpc.pipe(Layer.provide(endpoints)))
  )
}

/** More than any scan takes a node to keep. */
const LONG = 100

const promised = <A>(run: () => Promise<A>) => Effect.promise(run)

const cursorNow = promised(async (): Promise<Cursor> => {
  const { hash, number } = await fixture().client.getBlock()
  return { height: number, hash }
})

/** A deposit, and `later` blocks on top of it: empty ones, except for a transfer of a token unless they are `quiet`. */
const depositBelow = (later: number, quiet = true) =>
  promised(async () => {
    const { client, depository, send, stranger, usdc, user } = fixture()
    const data = encodeFunctionData({ abi: depositoryAbi, functionName: "depositNative", args: [user, word(1)] })
    const { transactionHash } = await send(user, depository, data, 1_000n)
    if (!quiet) {
      await send(user, usdc, encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [stranger, 1n] }))
    }
    await client.mine({ blocks: later })
    return idOf(transactionHash)
  })

type Lie = (call: Call, truth: () => Promise<Answer>) => Promise<Answer>

const isBelow = (quantity: unknown, first: bigint): boolean => typeof quantity === "string" && BigInt(quantity) < first

const blockOf = (result: unknown): unknown =>
  typeof result === "object" && result !== null && "blockNumber" in result ? result.blockNumber : undefined

const isBlock = (result: unknown): result is { readonly transactions: ReadonlyArray<unknown> } =>
  typeof result === "object" && result !== null && "transactions" in result && Array.isArray(result.transactions)

/** Its receipts and logs begin at this block. */
const prunedBelow = (first: bigint): Lie => async ({ method, params = [] }, truth) => {
  const answer = await truth()
  const { result } = answer
  if (method === "eth_getLogs" && Array.isArray(result)) {
    return { result: result.filter((log) => !isBelow(blockOf(log), first)) }
  }
  if (method === "eth_getBlockReceipts" && isBelow(params[0], first)) return { result: null }
  return method === "eth_getTransactionReceipt" && isBelow(blockOf(result), first) ? { result: null } : answer
}

/** Its index of logs begins at this block. It has all receipts. */
const unindexedBelow = (first: bigint): Lie => (call, truth) =>
  call.method === "eth_getLogs" ? prunedBelow(first)(call, truth) : truth()

const isLogsOfOneBlock = ({ method, params: [filter] = [] }: Call): boolean =>
  method === "eth_getLogs" && typeof filter === "object" && filter !== null && "fromBlock" in filter &&
  "toBlock" in filter && filter.fromBlock === filter.toBlock

const nodeWith = (lie?: Lie) =>
  Effect.map(lyingNode(fixture().url), (node): LyingNode => {
    if (lie !== undefined) node.lie(lie)
    return node
  })

const scanned = (cursor: Cursor, urls: ReadonlyArray<string>) =>
  Effect.flatMap(DepositWatcher, ({ scan }) => scan(chainOf(), cursor)).pipe(
    Effect.provide(through(urls)),
    Effect.map(({ cursor, deposits }) => ({ height: cursor.height, ids: deposits.map((each) => each.transactionId) })),
    Effect.result
  )

const kindOf = (answer: Result.Result<unknown, { readonly kind: string }>): string =>
  Result.match(answer, { onFailure: ({ kind }) => kind, onSuccess: () => "believed" })

describe("a scan for deposits far below the head", () => {
  it.live("does not believe a node that has pruned receipts, or its index of logs, and finds the deposit on the next one", () =>
    Effect.scoped(Effect.gen(function*() {
      const cursor = yield* cursorNow
      const id = yield* depositBelow(LONG)
      const head = yield* cursorNow
      for (const lieBelow of [prunedBelow, unindexedBelow]) {
        const node = yield* nodeWith(lieBelow(head.height - 20n))
        assert.strictEqual(kindOf(yield* scanned(cursor, [node.url])), "behind")
        const found = Result.getOrThrow(yield* scanned(cursor, [node.url, fixture().url]))
        assert.deepStrictEqual(found, { height: head.height, ids: [id] })
      }
    })))

  it.live("does not believe such a node either while it limits requests and so does not say what it has (EVM-10)", () =>
    Effect.scoped(Effect.gen(function*() {
      const cursor = yield* cursorNow
      const id = yield* depositBelow(LONG)
      const head = yield* cursorNow
      const lacksLogs = unindexedBelow(head.height - 20n)
      for (
        const error of [
          { code: 429, message: "Your app has exceeded its compute units per second capacity." },
          { code: -32_012, message: "credits limited to 6000/sec" },
          { code: -32_005, message: "daily request count exceeded, request rate limited" }
        ]
      ) {
        const node = yield* nodeWith((call, truth) =>
          isLogsOfOneBlock(call) ? Promise.resolve({ error }) : lacksLogs(call, truth)
        )
        assert.strictEqual(kindOf(yield* scanned(cursor, [node.url])), "unreachable", error.message)
        const found = Result.getOrThrow(yield* scanned(cursor, [node.url, fixture().url]))
        assert.deepStrictEqual(found, { height: head.height, ids: [id] })
      }
    })))

  it.live("believes a node that has them, also one without receipts of a whole block, or with only some of them there", () =>
    Effect.scoped(Effect.gen(function*() {
      const cursor = yield* cursorNow
      const id = yield* depositBelow(LONG, false)
      const head = yield* cursorNow
      const lies: ReadonlyArray<Lie> = [
        ({ method }, truth) =>
          method === "eth_getBlockReceipts"
            ? Promise.resolve({ error: { code: -32_601, message: "the method does not exist" } })
            : truth(),
        async ({ method }, truth) => {
          const answer = await truth()
          return method === "eth_getBlockReceipts" && Array.isArray(answer.result)
            ? { result: answer.result.slice(0, -1) }
            : answer
        }
      ]
      for (const lie of lies) {
        const { url } = yield* nodeWith(lie)
        assert.deepStrictEqual(Result.getOrThrow(yield* scanned(cursor, [url])), { height: head.height, ids: [id] })
      }
    })))

  it.live("believes one whose chain lists transactions of its own that have no receipt", () =>
    Effect.scoped(Effect.gen(function*() {
      yield* promised(() => fixture().client.mine({ blocks: 20 }))
      const cursor = yield* cursorNow
      yield* promised(() => fixture().client.mine({ blocks: 10 }))
      const id = yield* depositBelow(LONG)
      const head = yield* cursorNow
      const own = word(0xfeed)
      const listing = (isListed: (transactions: ReadonlyArray<unknown>) => boolean): Lie => async (call, truth) => {
        const answer = await truth()
        const { result } = answer
        return call.method === "eth_getBlockByNumber" && isBlock(result) && isListed(result.transactions)
          ? { result: { ...result, transactions: [own, ...result.transactions] } }
          : answer
      }
      const whereOthersAre = listing(({ length }) => length > 0)
      const everywhere = listing(() => true)
      for (const lie of [whereOthersAre, everywhere]) {
        const { url } = yield* nodeWith(lie)
        assert.deepStrictEqual(Result.getOrThrow(yield* scanned(cursor, [url])), { height: head.height, ids: [id] })
        // Not one that has pruned the others' receipts, too.
        const pruned = prunedBelow(head.height - 20n)
        const node = yield* nodeWith((call, truth) => pruned(call, () => lie(call, truth)))
        assert.strictEqual(kindOf(yield* scanned(cursor, [node.url])), "behind")
      }
    })))

  it.live("passes a range of empty blocks for a few requests, also where a node does not tell which have used gas", () =>
    Effect.scoped(Effect.gen(function*() {
      yield* promised(() => fixture().client.mine({ blocks: 20 }))
      const cursor = yield* cursorNow
      yield* promised(() => fixture().client.mine({ blocks: 1_000 }))
      const silent: Lie = ({ method }, truth) =>
        method === "eth_feeHistory"
          ? Promise.resolve({ error: { code: -32_601, message: "the method does not exist" } })
          : truth()
      for (const lie of [undefined, silent]) {
        const node = yield* nodeWith(lie)
        const { height } = Result.getOrThrow(yield* scanned(cursor, [node.url]))
        assert.strictEqual(height, cursor.height + 1_000n)
        assert.isBelow(node.calls("eth_getBlockByNumber"), 80)
      }
    })))

  it.live("finds the only block with a transaction among many empty ones, and does not believe a node without its logs", () =>
    Effect.scoped(Effect.gen(function*() {
      yield* promised(() => fixture().client.mine({ blocks: 20 }))
      const cursor = yield* cursorNow
      yield* promised(() => fixture().client.mine({ blocks: 300 }))
      const id = yield* depositBelow(LONG)
      const head = yield* cursorNow
      for (const lieBelow of [prunedBelow, unindexedBelow]) {
        const node = yield* nodeWith(lieBelow(head.height - 20n))
        assert.strictEqual(kindOf(yield* scanned(cursor, [node.url])), "behind")
        assert.isBelow(node.calls("eth_getBlockByNumber"), 80)
        const found = Result.getOrThrow(yield* scanned(cursor, [node.url, fixture().url]))
        assert.deepStrictEqual(found, { height: head.height, ids: [id] })
      }
    })))

  it.live("costs nothing at the head, where the node's word counts", () =>
    Effect.scoped(Effect.gen(function*() {
      yield* promised(() => fixture().client.mine({ blocks: LONG }))
      const cursor = yield* cursorNow
      const id = yield* depositBelow(10)
      const node = yield* nodeWith()
      const { ids } = Result.getOrThrow(yield* scanned(cursor, [node.url]))
      assert.deepStrictEqual(ids, [id])
      assert.strictEqual(node.calls("eth_getBlockReceipts"), 0)
    })))

  it.live("holds for the second look at final blocks, too: a pruned host is no voice", () =>
    Effect.scoped(Effect.gen(function*() {
      const cursor = yield* cursorNow
      const id = yield* depositBelow(LONG)
      const head = yield* cursorNow
      const height = head.height - 2n
      const final = yield* promised(async () => {
        const { hash } = await fixture().client.getBlock({ blockNumber: height })
        return { height, hash }
      })
      const pruned = yield* nodeWith(prunedBelow(head.height - 20n))
      const looked = (urls: ReadonlyArray<string>) =>
        Effect.flatMap(DepositWatcher, ({ scanFinal }) => scanFinal(chainOf(), cursor, final)).pipe(
          Effect.provide(through(urls, 2)),
          Effect.result
        )
      assert.strictEqual(kindOf(yield* looked([pruned.url, elsewhere(pruned.url)])), "behind")
      const { deposits } = Result.getOrThrow(yield* looked([fixture().url, elsewhere(fixture().url)]))
      assert.deepStrictEqual(deposits.map(({ transactionId }) => transactionId), [id])
    })))
})

describe("other scans of what is far below the head", () => {
  it.live("a credit is not passed because of a node that has pruned it", () =>
    Effect.scoped(Effect.gen(function*() {
      const { client, solver, usdc, user } = fixture()
      const cursor = yield* cursorNow
      const id = yield* promised(async () => {
        const data = encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [solver, 5n] })
        const { transactionHash } = await fixture().send(user, usdc, data)
        await client.mine({ blocks: LONG })
        return idOf(transactionHash)
      })
      const head = yield* cursorNow
      const chain = chainOf()
      const terms = { chainId: chain.id, token: lower(usdc), solver: lower(solver) }
      const credits = (urls: ReadonlyArray<string>) =>
        Effect.flatMap(CreditWatcher, ({ scan }) => scan(chain, terms, cursor)).pipe(
          Effect.provide(through(urls)),
          Effect.result
        )
      for (const lieBelow of [prunedBelow, unindexedBelow]) {
        const node = yield* nodeWith(lieBelow(head.height - 20n))
        assert.strictEqual(kindOf(yield* credits([node.url])), "behind")
        const { arrivals } = Result.getOrThrow(yield* credits([node.url, elsewhere(fixture().url)]))
        assert.deepStrictEqual(arrivals.map(({ evidence }) => evidence.transactionId), [id])
      }
    })))

  it.live("a payment that a user has made is not passed because of a node without its receipt", () =>
    Effect.scoped(Effect.gen(function*() {
      const { client, stranger, user } = fixture()
      const cursor = yield* cursorNow
      const id = yield* promised(async () => {
        const { transactionHash } = await fixture().send(user, stranger, word(7), 1_000n)
        await client.mine({ blocks: LONG })
        return idOf(transactionHash)
      })
      const node = yield* nodeWith(prunedBelow(cursor.height + 50n))
      const payments = (urls: ReadonlyArray<string>) =>
        Effect.flatMap(DirectPaymentWatcher, ({ scan }) => scan(chainOf(), cursor)).pipe(
          Effect.provide(through(urls)),
          Effect.result
        )
      assert.strictEqual(kindOf(yield* payments([node.url])), "behind")
      const found = Result.getOrThrow(yield* payments([node.url, fixture().url]))
      assert.deepStrictEqual(found.payments.map(({ transactionId }) => transactionId), [id])
    })))
})
