/**
 * A node takes seconds for each request, and a stranger has made more deposits than a scan can read within the deadline
 * of an endpoint: the scan ends nevertheless, with all of them. Otherwise it would begin again for ever.
 */
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { createServer } from "node:http"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { concat, numberToHex, pad, toEventSelector, toHex } from "viem"
import type { Hex } from "viem"
import { DepositWatcher } from "../../../ports/chain/DepositWatcher.ts"
import { alpha } from "../../../src/domain/quote/testing/Chains.ts"
import { usual } from "../../endpoints/AskEndpoint.ts"
import { Timer } from "../../quorum/rpc/Deadline.ts"
import { EthereumEndpoints, layer as rpc } from "../rpc/EthereumRpc.ts"
import { viemHex } from "../rpc/ViemHex.ts"
import { layer as watcher } from "./Watcher.ts"

const TRANSACTIONS = 40
const HEAD = 20
const DUSTY = 15
const CURSOR = 10

const hashOf = (number: number): Hex => toHex(number + 1, { size: 32 })
const transactionOf = (index: number): Hex => toHex(1_000 + index, { size: 32 })
const stranger: Hex = `0x${"ab".repeat(20)}`

const blockAt = (number: number) => ({
  number: numberToHex(number),
  hash: hashOf(number),
  timestamp: numberToHex(1_700_000_000 + number),
  transactions: []
})

const place = (index: number) => ({
  blockHash: hashOf(DUSTY),
  blockNumber: numberToHex(DUSTY),
  transactionHash: transactionOf(index),
  transactionIndex: numberToHex(index)
})

const logOf = (index: number) => ({
  ...place(index),
  address: viemHex(alpha.depository),
  topics: [toEventSelector("RelayNativeDeposit(address,uint256,bytes32)")],
  data: concat([pad(stranger), toHex(1, { size: 32 }), toHex(index + 1, { size: 32 })]),
  logIndex: numberToHex(index)
})

const indexOf = (hash: unknown): number => Number(BigInt(String(hash))) - 1_000

/** What the node answers: a dusty block, and otherwise empty ones. */
const answers: Readonly<Record<string, (params: ReadonlyArray<unknown>) => unknown>> = {
  eth_chainId: () => numberToHex(alpha.id),
  eth_getBlockByNumber: ([tag]) => blockAt(tag === "latest" ? HEAD : Number(tag)),
  eth_getLogs: ([filter]) =>
    JSON.stringify(filter).includes(viemHex(alpha.depository).toLowerCase()) && JSON.stringify(filter).includes(
        logOf(0).topics[0] ?? ""
      )
      ? Array.from({ length: TRANSACTIONS }, (_, index) => logOf(index))
      : [],
  eth_getTransactionReceipt: ([hash]) => ({
    ...place(indexOf(hash)),
    status: "0x1",
    from: stranger,
    to: stranger,
    logs: [logOf(indexOf(hash))]
  }),
  eth_getTransactionByHash: ([hash]) => ({
    ...place(indexOf(hash)),
    hash,
    from: stranger,
    to: stranger,
    input: "0x",
    value: "0x0",
    type: "0x2",
    nonce: "0x0"
  })
}

interface Call {
  readonly id: number
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

/** Milliseconds that pass with each request. */
const EACH = 3_000

/** A node, and the time that passes while it answers. */
const slowNode = Effect.acquireRelease(
  Effect.callback<{ readonly url: string; readonly passed: () => number; readonly close: () => void } & Clock>(
    (resume) => {
      const waiting = new Map<() => void, number>()
      let now = 0
      const answerAll = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
        const body = await text(request)
        now += EACH
        for (const [run, at] of waiting) if (at <= now && waiting.delete(run)) run()
        const calls = JSON.parse(body) as Call | ReadonlyArray<Call>
        const answer = ({ id, method, params }: Call) => ({
          jsonrpc: "2.0",
          id,
          result: answers[method]?.(params) ?? null
        })
        response.setHeader("content-type", "application/json")
        response.end(JSON.stringify("method" in calls ? answer(calls) : calls.map(answer)))
      }
      const server = createServer((request, response) => void answerAll(request, response))
      server.listen(0, "127.0.0.1", () =>
        resume(Effect.succeed({
          url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
          passed: () => now,
          timer: (run: () => void, milliseconds: number) => {
            waiting.set(run, now + milliseconds)
            return () => void waiting.delete(run)
          },
          close: () => {
            server.close()
            server.closeAllConnections()
          }
        })))
    }
  ),
  ({ close }) => Effect.sync(close)
)

interface Clock {
  readonly timer: (run: () => void, milliseconds: number) => () => void
}

it.live("a scan of more than a node can show within an endpoint's deadline ends, with all deposits", () =>
  Effect.scoped(Effect.gen(function*() {
    const { passed, timer, url } = yield* slowNode
    const endpoints = Layer.succeed(EthereumEndpoints, { urls: new Map([[alpha.id, [Redacted.make(url)]]]) })
    const scanned = yield* Effect.flatMap(
      DepositWatcher,
      ({ scan }) => scan(alpha, { height: BigInt(CURSOR), hash: hashOf(CURSOR) })
    ).pipe(
      Effect.provide(watcher.pipe(Layer.provide(rpc), Layer.provide(endpoints))),
      Effect.provideService(Timer, timer)
    )
    assert.deepStrictEqual(
      scanned.deposits.map(({ transactionId }) => transactionId),
      Array.from({ length: TRANSACTIONS }, (_, index) => transactionOf(index) as string)
    )
    assert.strictEqual(scanned.cursor.height, BigInt(HEAD))
    assert.isAbove(passed(), 10 * usual.endpointMs)
  })))
