/** Whatever an endpoint answers, the result is a reading or a named fault: never a defect, never a hang. */
import { addressCodec, families } from "../../../src/domain/families/index.ts"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Option, Redacted } from "effect"
import * as fc from "fast-check"
import { createServer } from "node:http"
import { inputs } from "../../../scripts/testing/Tally.ts"
import { EthereumAddress } from "../../../src/domain/chain/Address.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { ChainId, ChainSlug } from "../../../src/domain/chain/ChainId.ts"
import { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { makeJsonRpc } from "../../quorum/rpc/JsonRpc.ts"
import { readTransaction } from "./ReadTransaction.ts"

const HASH = `0x${"ab".repeat(32)}`
const BLOCK = `0x${"cd".repeat(32)}`
const depository = EthereumAddress.make(`0x${"d0".repeat(20)}`)
const pad = (digits: string) => digits.padStart(64, "0")

const native = {
  chainId: ChainId.make(5),
  address: addressCodec("ethereum-vm").nativeCurrency,
  symbol: "ETH",
  name: "Ether",
  decimals: 18,
  isNative: true
}
const chain: Chain = {
  id: native.chainId,
  slug: ChainSlug.make("fuzzed"),
  family: families["ethereum-vm"],
  network: "mainnet",
  name: "fuzzed",
  depository,
  router: undefined,
  vault: undefined,
  native,
  currencies: [native],
  finality: { _tag: "Tag", tag: "finalized", seconds: 1 },
  confirmations: [],
  blockTimeMs: 1_000,
  explorerUrl: undefined
}

/** An honest node's answers about a transaction that deposits 5. */
const honest: Readonly<Record<string, unknown>> = {
  eth_chainId: "0x5",
  eth_getTransactionByHash: {
    hash: HASH,
    from: `0x${"11".repeat(20)}`,
    to: depository,
    input: `0x${"22".repeat(40)}`,
    value: "0x5",
    blockNumber: "0x10"
  },
  eth_getTransactionReceipt: {
    transactionHash: HASH,
    blockHash: BLOCK,
    blockNumber: "0x10",
    status: "0x1",
    logs: [{
      address: depository,
      topics: ["0x8032066556caf3967d8fec4ad22a2d9e1e9576556b2903a0fcd5b1fd201e3477"],
      data: `0x${pad("11".repeat(20))}${pad("5")}${"ee".repeat(32)}`,
      logIndex: "0x0",
      transactionHash: HASH
    }]
  },
  eth_getBlockByNumber: { hash: BLOCK, number: "0x10", timestamp: "0x6500" }
}

const nonsense: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    -1,
    1e99,
    "",
    "0x",
    "0x0",
    "0xzz",
    `0x${"f".repeat(65)}`,
    `0x${"0".repeat(4_000)}`,
    HASH,
    [],
    {},
    [[[]]],
    "__proto__",
    "\ud800"
  ),
  fc.jsonValue({ maxDepth: 3 })
)

/** Replaces, adds or removes something at one place of a value. */
const damaged = (value: unknown, path: ReadonlyArray<number>, change: "replace" | "remove", by: unknown): unknown => {
  const [first, ...rest] = path
  if (first === undefined || typeof value !== "object" || value === null) return by
  const entries = Object.entries(value)
  const [key] = entries[first % Math.max(1, entries.length)] ?? []
  if (key === undefined) return by
  const changed = entries.flatMap(([name, member]) =>
    name !== key
      ? [[name, member]]
      : change === "remove" && rest.length === 0
      ? []
      : [[name, damaged(member, rest, change, by)]]
  )
  return Array.isArray(value) ? changed.map(([, member]): unknown => member) : Object.fromEntries(changed)
}

interface Damage {
  readonly method: string
  readonly path: ReadonlyArray<number>
  readonly change: "replace" | "remove"
  readonly by: unknown
  /** Sent in place of any answer. */
  readonly text: string | undefined
  readonly status: number
}

const damage: fc.Arbitrary<Damage> = fc.record({
  method: fc.constantFrom(...Object.keys(honest)),
  path: fc.array(fc.nat(12), { maxLength: 4 }),
  change: fc.constantFrom("replace", "remove"),
  by: nonsense,
  text: fc.oneof({ weight: 11, arbitrary: fc.constant(undefined) }, {
    weight: 1,
    arbitrary: fc.oneof(
      fc.constantFrom("", "<html>", "{", "[]", "{}", "null", "[{\"id\":1}]", "[".repeat(5_000)),
      nonsense.map((value) => JSON.stringify(value) ?? "")
    )
  }),
  status: fc.constantFrom(200, 200, 200, 200, 200, 200, 200, 429, 500, 204)
})

const faults = ["timeout", "unreachable", "refused", "over-quota", "wrong-chain", "contradiction", "undecodable"]

describe("an endpoint's answers", () => {
  it.live("are read or reported as a fault, for any input", () =>
    Effect.scoped(Effect.gen(function*() {
      let current: Damage = { method: "", path: [], change: "replace", by: undefined, text: undefined, status: 200 }
      const answer = (method: string): unknown =>
        method === current.method ? damaged(honest[method], current.path, current.change, current.by) : honest[method]
      const url = yield* Effect.acquireRelease(
        Effect.callback<{ readonly url: string; readonly close: () => void }>((resume) => {
          const server = createServer((request, response) => {
            const chunks: Array<Buffer> = []
            request.on("data", (chunk: Buffer) => chunks.push(chunk)).on("end", () => {
              const calls = JSON.parse(Buffer.concat(chunks).toString()) as ReadonlyArray<
                { readonly id: number; readonly method: string }
              >
              const body = current.text ??
                JSON.stringify(calls.map(({ id, method }) => ({ jsonrpc: "2.0", id, result: answer(method) })))
              response.writeHead(current.status, { "content-type": "application/json" }).end(
                current.status === 204 ? undefined : body
              )
            })
          })
          server.listen(0, "127.0.0.1", () => {
            const address = server.address()
            resume(Effect.succeed({
              url: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}/`,
              close: () => {
                server.close()
                server.closeAllConnections()
              }
            }))
          })
        }),
        ({ close }) => Effect.sync(close)
      ).pipe(Effect.map(({ url }) => Redacted.make(url)))
      const read = readTransaction(yield* makeJsonRpc(url), chain, TransactionId.make(HASH), {
        deadline: 2_000,
        verify: true
      })

      const right = yield* read
      const seen = right.observedAt(right.heads)
      assert.deepStrictEqual(seen._tag === "Transaction" ? seen.deposits.map(({ amount }) => amount) : [], [5n])

      const unhurt = current
      const outcome = Effect.fnUntraced(function*(next: Damage) {
        current = next
        const exit = yield* Effect.exit(read)
        // Evidence is made of what was decoded: making it does not fail either.
        if (Exit.isSuccess(exit)) return exit.value.observedAt(exit.value.heads)._tag
        const fault = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
        assert.include(faults, fault, JSON.stringify(next))
        return `${fault}`
      })
      // Every way to go wrong, each by a case of its own: chance need not find all of them.
      const [transaction, receipt, block] = [
        "eth_getTransactionByHash",
        "eth_getTransactionReceipt",
        "eth_getBlockByNumber"
      ]
      const forced: ReadonlyArray<readonly [string, Partial<Damage>]> = [
        ["Transaction", { method: transaction, path: [4], by: "0x6" }],
        ["Absent", { method: receipt, by: null }],
        ["refused", { text: "[]" }],
        ["over-quota", { status: 429 }],
        ["wrong-chain", { method: "eth_chainId", by: "0x6" }],
        ["contradiction", { method: receipt, path: [1], by: HASH }],
        ["undecodable", { method: block, by: {} }],
        ["undecodable", { method: transaction, path: [0], change: "remove" }]
      ]
      for (const [expected, harm] of forced) {
        assert.strictEqual(yield* outcome({ ...unhurt, ...harm }), expected, JSON.stringify(harm))
      }
      for (const next of fc.sample(damage, { numRuns: inputs(2_000, 50_000) })) yield* outcome(next)
    })))
})
