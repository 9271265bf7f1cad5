import { addressCodec, families } from "../../../src/domain/families/index.ts"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Option, Result } from "effect"
import * as fc from "fast-check"
import { inputs } from "../../../scripts/testing/Tally.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { ChainId, ChainSlug } from "../../../src/domain/chain/ChainId.ts"
import { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { writtenTransaction } from "../../../src/domain/families/tron/evidence/testing/WrittenTransaction.ts"
import type { ReadFault } from "../../quorum/ReadFault.ts"
import type { TronNode } from "../rpc/TronNode.ts"
import { callRequestReading } from "./ReadCallRequest.ts"
import { isOn } from "./ReadPlace.ts"
import { readTransaction } from "./ReadTransaction.ts"

const codec = addressCodec("tron-vm")
const depository = Result.getOrThrow(codec.fromBytes(Uint8Array.of(0x41, ...new Uint8Array(20).fill(5))))
const id = ChainId.make(728_126_428)
const native = {
  chainId: id,
  address: codec.nativeCurrency,
  symbol: "TRX",
  name: "Tronix",
  decimals: 6,
  isNative: true
}

const chain: Chain = {
  id,
  slug: ChainSlug.make("tron-test"),
  family: families["tron-vm"],
  network: "mainnet",
  name: "Tron",
  depository,
  router: undefined,
  vault: undefined,
  native,
  currencies: [native],
  finality: { _tag: "Tag", tag: "finalized", seconds: 60 },
  confirmations: [],
  blockTimeMs: 3_000,
  explorerUrl: undefined
}

const ORDER = "7a".repeat(32)
const written = (amount: number) =>
  writtenTransaction("TransferContract", {
    owner_address: `41${"a1".repeat(20)}`,
    to_address: `41${"b2".repeat(20)}`,
    amount
  }, { memo: ORDER })
const { id: ID, rawHex } = written(7)
const HEIGHT = 100
const [SOLID, HEAD] = [180, 199]
const hashAt = (height: number) =>
  height === 0 ? `${"0".repeat(56)}${id.toString(16)}` : `${height.toString(16).padStart(16, "0")}${"c".repeat(48)}`
const header = (height: number) => ({
  blockID: hashAt(height),
  block_header: { raw_data: height === 0 ? {} : { number: height, timestamp: 1_700_000_000_000 + height * 3_000 } }
})
const log = {
  address: `0x${"99".repeat(20)}`,
  topics: [`0x${"11".repeat(32)}`],
  data: "0x",
  logIndex: "0x4",
  transactionHash: `0x${ID}`
}

const answers = {
  eth_chainId: () => `0x${id.toString(16)}`,
  eth_getTransactionReceipt: (): object | null => ({
    transactionHash: `0x${ID}`,
    blockHash: `0x${hashAt(HEIGHT)}`,
    blockNumber: `0x${HEIGHT.toString(16)}`,
    status: "0x1",
    logs: [log]
  }),
  gettransactionbyid: () => ({ txID: ID, raw_data_hex: rawHex, ret: [{ contractRet: "SUCCESS" }] }),
  getblock: (asked: object, isSolid: boolean) =>
    header("id_or_num" in asked ? Number(asked.id_or_num) : isSolid ? SOLID : HEAD),
  triggerconstantcontract: () => ({ result: { result: true }, constant_result: ["0".repeat(63) + "1"] })
}
type Method = keyof typeof answers

/** Replaces an honest answer. `undefined` leaves it unchanged. */
type Lie = (
  method: Method,
  honest: unknown,
  asked: object,
  isSolid: boolean
) => Effect.Effect<unknown, ReadFault> | undefined

const nodeOf = (lie: Lie = () => undefined): TronNode => {
  const say = (method: Method, asked: object, isSolid = false) => {
    const honest: unknown = answers[method](asked, isSolid)
    return lie(method, honest, asked, isSolid) ?? Effect.succeed(honest)
  }
  const http = (isSolid: boolean): TronNode["wallet"] => (method, asked) => say(method as Method, asked, isSolid)
  return {
    jsonRpc: (calls) => Effect.forEach(calls, ({ method, params }) => say(method as Method, { params })),
    wallet: http(false),
    solidity: http(true)
  }
}

const telling = (method: Method, said: unknown): TronNode =>
  nodeOf((asked) => asked === method ? Effect.succeed(said) : undefined)

const reading = (node: TronNode) =>
  readTransaction(node, chain, TransactionId.make(ID), { deadline: 1_000, verify: true })
const observation = (node: TronNode) => Effect.map(reading(node), ({ heads, observedAt }) => observedAt(heads))
const faultOf = (node: TronNode) =>
  Effect.map(Effect.result(observation(node)), (read) => Result.isFailure(read) ? read.failure : read.success._tag)

const endpoint = (rpc: TronNode) => ({ rpc, host: "a", verified: false })
const withdrawal = (node: TronNode, least = 0n) => {
  const { at, heads } = callRequestReading(chain, Hex32.make(`0x${"00".repeat(32)}`), least)
  const until = Number.MAX_SAFE_INTEGER
  return Effect.flatMap(heads(endpoint(node), until), ({ finalHeight }) => at(endpoint(node), finalHeight, until))
}

const nonsense = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom<unknown>(null, {}, [], "0x1", -1, { Error: "x" }, "0".repeat(64), {
    result: { result: true },
    constant_result: []
  })
)

const damaged = (value: unknown, path: ReadonlyArray<number>, by: unknown): unknown => {
  const [at, ...more] = path
  if (at === undefined || typeof value !== "object" || value === null) return by
  const keys = Object.keys(value)
  const key = keys[at % Math.max(1, keys.length)]
  return key === undefined
    ? by
    : Object.assign(Array.isArray(value) ? [...(value as Array<unknown>)] : { ...value }, {
      [key]: damaged((value as Record<string, unknown>)[key], more, by)
    })
}

const outcomes = [
  "Transaction",
  "Absent",
  "true",
  "false",
  "timeout",
  "unreachable",
  "refused",
  "wrong-chain",
  "contradiction",
  "undecodable"
]

const outcomeOf = <A>(exit: Exit.Exit<A, unknown>, of: (value: A) => string): string => {
  if (Exit.isSuccess(exit)) return of(exit.value)
  const failed = Cause.findErrorOption(exit.cause)
  return Option.isSome(failed) ? String(failed.value) : assert.fail(`a defect: ${Cause.pretty(exit.cause)}`)
}

describe("a Tron node", () => {
  it.effect("that is honest shows the transaction, the order that its memo names, and its state", () =>
    Effect.gen(function*() {
      const seen = yield* observation(nodeOf())
      if (seen._tag !== "Transaction") return assert.fail(seen._tag)
      assert.deepStrictEqual<unknown>([seen.outcome, seen.block, seen.finality._tag, seen.orderIds], [
        "succeeded",
        { height: 100n, hash: hashAt(HEIGHT), time: 1_700_000_300 },
        "Final",
        [`0x${ORDER}`]
      ])
      assert.deepStrictEqual(seen.payments.map(({ amount }) => amount), [7n])
      assert.isTrue(yield* isOn(nodeOf(), chain, 1_000))
      assert.deepStrictEqual(yield* withdrawal(nodeOf()), {
        block: { height: 180n, hash: hashAt(SOLID), time: 1_700_000_540 },
        value: true
      })
    }))

  it.effect("that puts another memo, amount or recipient under an id has no vote, nor has one whose interfaces contradict each other", () =>
    Effect.gen(function*() {
      const other = written(8).rawHex
      const sent = answers.gettransactionbyid()
      const receipt = { ...answers.eth_getTransactionReceipt() }
      const block = (height: number, said: object) =>
        nodeOf((method, _, asked) =>
          method === "getblock" && "id_or_num" in asked && asked.id_or_num === `${height}`
            ? Effect.succeed(said)
            : undefined
        )
      const liars: ReadonlyArray<readonly [ReadFault, TronNode]> = [
        ["contradiction", telling("gettransactionbyid", { ...sent, raw_data_hex: other })],
        ["contradiction", telling("gettransactionbyid", {})],
        ["contradiction", telling("gettransactionbyid", { ...sent, ret: [{ contractRet: "REVERT" }] })],
        ["undecodable", telling("gettransactionbyid", { ...sent, raw_data_hex: `${sent.raw_data_hex}0` })],
        ["undecodable", telling("gettransactionbyid", { ...sent, txID: `0x${ID}` })],
        ["undecodable", telling("gettransactionbyid", null)],
        ["contradiction", telling("eth_getTransactionReceipt", { ...receipt, transactionHash: `0x${"1".repeat(64)}` })],
        [
          "contradiction",
          telling("eth_getTransactionReceipt", {
            ...receipt,
            logs: [{ ...log, transactionHash: `0x${"1".repeat(64)}` }]
          })
        ],
        ["contradiction", telling("eth_getTransactionReceipt", { ...receipt, status: "0x0" })],
        ["contradiction", telling("eth_getTransactionReceipt", { ...receipt, blockHash: `0x${hashAt(101)}` })],
        ["undecodable", telling("eth_getTransactionReceipt", {})],
        ["contradiction", block(HEIGHT, header(101))],
        ["contradiction", block(HEIGHT, { ...header(HEIGHT), blockID: "d".repeat(64) })],
        ["undecodable", block(HEIGHT, {})],
        ["wrong-chain", telling("eth_chainId", "0x1")],
        ["wrong-chain", block(0, { ...header(0), blockID: "d".repeat(64) })]
      ]
      for (const [fault, node] of liars) assert.strictEqual(yield* faultOf(node), fault)
      // The fields that it sends beside the bytes are ignored.
      assert.strictEqual(
        yield* faultOf(telling("gettransactionbyid", { ...sent, raw_data: { data: "66".repeat(32) } })),
        "Transaction"
      )
    }))

  it.effect("that cannot answer proves no absence: only a node without the receipt does", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* faultOf(telling("eth_getTransactionReceipt", null)), "Absent")
      for (const method of ["gettransactionbyid", "eth_getTransactionReceipt", "getblock"] as const) {
        assert.strictEqual(
          yield* faultOf(nodeOf((asked) => asked === method ? Effect.fail("timeout") : undefined)),
          "timeout",
          method
        )
      }
      // A transaction that is not solidified yet, and one that failed, in the forms of both interfaces.
      const late = nodeOf((method, _, asked, isSolid) =>
        method === "getblock" && isSolid && !("id_or_num" in asked) ? Effect.succeed(header(HEIGHT - 1)) : undefined
      )
      const pending = yield* observation(late)
      assert.deepStrictEqual<unknown>(pending._tag === "Transaction" && pending.finality, {
        _tag: "Pending",
        confirmations: HEAD - HEIGHT,
        needed: HEAD - HEIGHT + 1,
        secondsLeft: 0
      })
      const failed = yield* observation(
        nodeOf((method, honest) =>
          method === "eth_getTransactionReceipt"
            ? Effect.succeed({ ...(honest as object), status: "0x0" })
            : method === "gettransactionbyid"
            ? Effect.succeed({ ...(honest as object), ret: [{ contractRet: "OUT_OF_ENERGY" }] })
            : undefined
        )
      )
      assert.deepStrictEqual<unknown>(
        failed._tag === "Transaction" && [failed.outcome, failed.payments, failed.orderIds, failed.deposits],
        ["reverted", [], [], []]
      )
    }))

  it.effect("whose solidified state is older than the pinned block, or that answers with something other than a word, does not show a withdrawal as unused", () =>
    Effect.gen(function*() {
      const said = (word: string, more: object = {}) =>
        telling("triggerconstantcontract", { result: { result: true, ...more }, constant_result: [word] })
      const faultOf = (node: TronNode, least?: bigint) =>
        Effect.map(
          Effect.result(withdrawal(node, least)),
          (read) => Result.isFailure(read) ? read.failure : `${read.success.value}`
        )
      assert.strictEqual(yield* faultOf(said("0".repeat(64))), "false")
      for (
        const node of [
          said(""),
          said("2".padStart(64, "0")),
          said("0".repeat(128)),
          said("0".repeat(64), { message: "52455645525420" }),
          telling("triggerconstantcontract", { result: { code: "CONTRACT_VALIDATE_ERROR", message: "" } })
        ]
      ) {
        assert.strictEqual(yield* faultOf(node), "undecodable")
      }
      assert.strictEqual(yield* faultOf(said("0".repeat(64)), BigInt(SOLID + 1)), "contradiction")
      assert.strictEqual(yield* faultOf(telling("eth_chainId", "0x1")), "wrong-chain")
      let asked = 0
      const goingBack = nodeOf((method, _, of, isSolid) =>
        method === "getblock" && isSolid && !("id_or_num" in of) && (asked += 1) > 1
          ? Effect.succeed(header(SOLID - 1))
          : undefined
      )
      assert.strictEqual(yield* faultOf(goingBack), "contradiction")
    }))

  it.effect("that answers nonsense, or a damaged truth, gives a fault or evidence, never a defect", () =>
    Effect.gen(function*() {
      const methods = fc.constantFrom<Method>(
        "eth_chainId",
        "eth_getTransactionReceipt",
        "gettransactionbyid",
        "getblock",
        "triggerconstantcontract"
      )
      const cases = fc.tuple(methods, fc.array(fc.nat(7), { maxLength: 4 }), nonsense)
      for (const [lied, path, by] of fc.sample(cases, { numRuns: inputs(1_000, 20_000) })) {
        const lie = nodeOf((method, honest) => method === lied ? Effect.succeed(damaged(honest, path, by)) : undefined)
        // The cases above have each of these, and each fault.
        const seen = [
          outcomeOf(yield* Effect.exit(observation(lie)), ({ _tag }) => _tag),
          outcomeOf(yield* Effect.exit(withdrawal(lie)), ({ value }) => `${value}`)
        ]
        for (const each of seen) assert.include(outcomes, each, JSON.stringify([lied, path, by]))
      }
    }))
})
