import { addressCodec, families } from "../../../src/domain/families/index.ts"
import { assert, describe, it } from "@effect/vitest"
import { Psbt, Transaction } from "bitcoinjs-lib"
import { Cause, Effect, Exit, Option, Redacted, Result } from "effect"
import * as fc from "fast-check"
import { createServer } from "node:http"
import { inputs } from "../../../scripts/testing/Tally.ts"
import { scriptOfAddress } from "../../../src/domain/families/bitcoin/BitcoinScript.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { ChainId, ChainSlug } from "../../../src/domain/chain/ChainId.ts"
import { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { readPsbt } from "../../../src/domain/families/bitcoin/Psbt.ts"
import { readerOf } from "../../endpoints/EndpointReader.ts"
import { check } from "../Check.ts"
import { family } from "../rpc/BitcoinRpc.ts"
import { openExplorer } from "./explorer/Explorer.ts"
import type { CoreRpc } from "../rpc/CoreRpc.ts"
import { spendingReading } from "./ReadSpending.ts"
import { readTransaction } from "./ReadTransaction.ts"

const codec = addressCodec("bitcoin-vm", "regtest")
const depository = Result.getOrThrow(codec.fromBytes(Uint8Array.of(0, ...new Uint8Array(20).fill(5))))
const payer = Result.getOrThrow(codec.fromBytes(Uint8Array.of(0, ...new Uint8Array(20).fill(6))))
const scriptOf = (address: string) => Result.getOrThrow(scriptOfAddress(address, "regtest"))
const GENESIS = "06".repeat(32)
const id = ChainId.make(5)
const native = {
  chainId: id,
  address: codec.nativeCurrency,
  symbol: "BTC",
  name: "Bitcoin",
  decimals: 8,
  isNative: true
}

const chain: Chain = {
  id,
  slug: ChainSlug.make("bitcoin-test"),
  family: families["bitcoin-vm"],
  network: "regtest",
  genesisHash: GENESIS,
  name: "Bitcoin",
  depository,
  router: undefined,
  vault: undefined,
  native,
  currencies: [native],
  finality: { _tag: "Depth", blocks: 6, seconds: 0 },
  confirmations: [],
  blockTimeMs: 1_000,
  explorerUrl: undefined
}

const transaction = new Transaction()
transaction.addInput(new Uint8Array(32).fill(9), 1)
transaction.addOutput(scriptOf(depository), 5n)
const ID = transaction.getId()
const HEIGHT = 100
const hashAt = (height: number) => height.toString(16).padStart(64, "a")
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex")

const honest = (method: string, [of]: ReadonlyArray<unknown>): unknown => {
  switch (method) {
    case "getblockchaininfo":
      return { blocks: 200, bestblockhash: hashAt(200), chain: "regtest" }
    case "getblockhash":
      return of === 0 ? GENESIS : hashAt(Number(of))
    case "getblockheader":
      return { hash: of, height: Number.parseInt(String(of).replace(/^a+/, ""), 16), time: 1_700_000_000 }
    case "gettxout":
      return { confirmations: 5, value: 0.1 }
    default:
      return {
        hex: transaction.toHex(),
        blockhash: hashAt(HEIGHT),
        vin: [{ txid: "09".repeat(32), vout: 1, prevout: { scriptPubKey: { hex: hex(scriptOf(payer)) } } }]
      }
  }
}

const nonsense: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(null, "", "00", 0, -1, 1.5, 2 ** 53, true, [], {}, ID, hashAt(7), "0x00", "ff".repeat(40)),
  fc.jsonValue({ maxDepth: 3 })
)

/** Replaces or removes something at one place of a value. */
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

const damage = fc.record({
  method: fc.constantFrom("getblockchaininfo", "getblockhash", "getblockheader", "gettxout", "getrawtransaction"),
  path: fc.array(fc.nat(12), { maxLength: 4 }),
  change: fc.constantFrom("replace" as const, "remove" as const),
  by: nonsense,
  error: fc.option(
    fc.oneof(
      nonsense,
      fc.record({
        code: fc.constantFrom(-5, -8, 1),
        message: fc.constantFrom("No such mempool or blockchain transaction", "", "No such mempool transaction")
      })
    ),
    { nil: undefined, freq: 4 }
  )
})
type Damage = typeof damage extends fc.Arbitrary<infer A> ? A : never

const nodeWith = ({ by, change, error, method: at, path }: Damage): CoreRpc => ({
  answers: (calls) =>
    Effect.succeed(calls.map(({ method, params }, index) =>
      method !== at ?
        { id: index + 1, result: honest(method, params), error: null }
        : error !== undefined
        ? { id: index + 1, error }
        : { id: index + 1, result: damaged(honest(method, params), path, change, by) }
    ))
})

const unhurt: Damage = { method: "gettxout", path: [], change: "replace", by: null, error: undefined }
const faults = ["timeout", "unreachable", "refused", "wrong-chain", "contradiction", "undecodable"]

const outcomeOf = <A>(exit: Exit.Exit<A, unknown>, said: string, name: (value: A) => string): string => {
  if (Exit.isSuccess(exit)) return name(exit.value)
  const fault = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
  assert.include(faults, fault, said)
  return String(fault)
}

describe("a node's answers on Bitcoin", () => {
  it.live("are read as a transaction or reported as a fault, for any input", () =>
    Effect.gen(function*() {
      const read = (rpc: CoreRpc) =>
        Effect.map(
          readTransaction(rpc, chain, TransactionId.make(ID), { deadline: 1_000, verify: true }),
          ({ heads, observedAt }) => observedAt(heads)
        )
      const right = yield* read(nodeWith(unhurt))
      assert.deepStrictEqual<unknown>(
        right._tag === "Transaction" ? right.deposits.map(({ amount, depositor }) => [amount, depositor]) : [],
        [[5n, payer]]
      )
      // Every way to go wrong, each by a case of its own: chance need not find all of them.
      const another = new Transaction()
      another.addInput(new Uint8Array(32).fill(8), 1)
      another.addOutput(scriptOf(depository), 7n)
      const forced: ReadonlyArray<readonly [string, Partial<Damage>]> = [
        ["Transaction", {}],
        ["Absent", {
          method: "getrawtransaction",
          error: { code: -5, message: "No such mempool or blockchain transaction" }
        }],
        ["refused", { method: "getrawtransaction", error: { code: 1, message: "" } }],
        ["wrong-chain", { method: "getblockhash", by: hashAt(7) }],
        // Another transaction's bytes are no answer, however whole they are; nor is a head that is elsewhere.
        ["contradiction", { method: "getrawtransaction", path: [0], by: another.toHex() }],
        ["contradiction", { method: "getblockchaininfo", path: [0], by: 199 }],
        // What is spent is read from the transactions before then, of which this node shows none.
        ["undecodable", { method: "getrawtransaction", path: [2], by: [] }],
        ["undecodable", { method: "getrawtransaction", path: [2, 0, 2], change: "remove" }]
      ]
      for (const [outcome, harm] of forced) {
        const said = JSON.stringify(harm)
        const seen = yield* Effect.exit(read(nodeWith({ ...unhurt, ...harm })))
        assert.strictEqual(outcomeOf(seen, said, ({ _tag }) => _tag), outcome, said)
      }
      // No block of this chain's.
      const elsewhere = yield* readTransaction(
        nodeWith({ ...unhurt, method: "getblockhash", by: hashAt(7) }),
        chain,
        TransactionId.make(ID),
        { deadline: 1_000, verify: false }
      )
      assert.strictEqual(elsewhere.observedAt(elsewhere.heads)._tag, "Absent")
      for (const next of fc.sample(damage, { numRuns: inputs(1_500, 50_000) })) {
        const said = JSON.stringify(next)
        outcomeOf(yield* Effect.exit(read(nodeWith(next))), said, (seen) => {
          // Whatever a node says, bytes that hash to this id pay this much.
          if (seen._tag === "Transaction") {
            assert.deepStrictEqual(
              seen.deposits.map(({ amount }) => amount),
              seen.deposits.length === 0 ? [] : [5n],
              said
            )
          }
          return seen._tag
        })
      }
    }))

  it.live("count only on the configured branch, where two chains share their first block (BITCOIN-21)", () =>
    Effect.gen(function*() {
      const at = (height: number, hash: string): Chain => ({ ...chain, checkpoint: { height, hash } })
      const honestNode = nodeWith(unhurt)
      const read = (on: Chain, verify: boolean) =>
        Effect.exit(readTransaction(honestNode, on, TransactionId.make(ID), { deadline: 1_000, verify }))
      const outcome = (exit: Exit.Exit<unknown, unknown>) => outcomeOf(exit, "", () => "read")
      assert.strictEqual(outcome(yield* read(at(150, hashAt(150)), true)), "read")
      assert.strictEqual(outcome(yield* read(at(150, hashAt(151)), true)), "wrong-chain")
      // The first block, which both branches have, decides nothing any more.
      assert.strictEqual(outcome(yield* read(at(150, GENESIS), true)), "wrong-chain")
      assert.strictEqual(outcome(yield* read(at(150, hashAt(151)), false)), "read")
      const isOn = (on: Chain) => Effect.promise(() => family.isOn(readerOf(honestNode, 1_000), on))
      assert.isTrue(yield* isOn(at(150, hashAt(150))))
      assert.isFalse(yield* isOn(at(150, hashAt(151))))
      assert.deepStrictEqual(
        yield* check.read(honestNode, at(150, "00".repeat(32)), [{ _tag: "Network" }], 1_000),
        [hashAt(150)]
      )
    }))

  it.live("never make a withdrawal anything but what its own bytes say, or a fault", () =>
    Effect.gen(function*() {
      const psbt = new Psbt()
      psbt.addInput({ hash: new Uint8Array(32).fill(9), index: 1 })
      psbt.addOutput({ script: scriptOf(depository), value: 5n })
      const withdrawal = readPsbt(Uint8Array.from(psbt.toBuffer())) ?? assert.fail("no PSBT")
      const reading = (spender: string | undefined, rpc: CoreRpc) => {
        const { at, heads } = spendingReading(chain, withdrawal, [{
          transactionId: "09".repeat(32),
          index: 1,
          spender
        }])
        const endpoint = { rpc, host: "here", verified: false }
        const until = Date.now() + 60_000
        return Effect.flatMap(
          heads(endpoint, until),
          ({ finalHeight }) => Effect.map(at(endpoint, finalHeight, until), ({ value }) => value)
        )
      }
      const outcome = (spender: string | undefined, harm: Damage) =>
        Effect.map(
          Effect.exit(reading(spender, nodeWith(harm))),
          (seen) => outcomeOf(seen, JSON.stringify([harm, spender]), (value) => value)
        )
      // Every way to go wrong, each by a case of its own.
      const forced: ReadonlyArray<readonly [string, string | undefined, Partial<Damage>]> = [
        [`executed ${ID}`, ID, {}],
        ["unused", undefined, { by: honest("gettxout", []) }],
        // It shows no coin, and a transaction in a block that made one.
        ["contradiction", undefined, {}],
        ["refused", ID, { method: "getrawtransaction", error: { code: 1, message: "" } }],
        ["wrong-chain", ID, { method: "getblockhash", by: hashAt(7) }],
        ["undecodable", ID, { method: "getrawtransaction", by: null }]
      ]
      for (const [expected, spender, harm] of forced) {
        assert.strictEqual(yield* outcome(spender, { ...unhurt, ...harm }), expected, JSON.stringify(harm))
      }
      // The block at the height that was asked for says that it is at another.
      const displaced: CoreRpc = {
        answers: (calls) =>
          Effect.succeed(calls.map(({ method, params }, index) => ({
            id: index + 1,
            error: null,
            result: method === "getblockheader" && params[0] === hashAt(194)
              ? { hash: hashAt(194), height: 193, time: 1_700_000_000 }
              : honest(method, params)
          })))
      }
      assert.strictEqual(yield* Effect.flip(reading(ID, displaced)), "contradiction")
      for (
        const [harm, spender] of fc.sample(fc.tuple(damage, fc.constantFrom(ID, undefined, "07".repeat(32))), {
          numRuns: inputs(1_500, 50_000)
        })
      ) {
        const seen = yield* outcome(spender, harm)
        assert.notStrictEqual(seen, "otherwise", JSON.stringify([harm, spender]))
      }
    }))
})

describe("an explorer's answers", () => {
  it.live("are read as a spender, as coins, as nothing, or as a fault, for any input", () =>
    Effect.scoped(Effect.gen(function*() {
      let body = ""
      const port = yield* Effect.acquireRelease(
        Effect.callback<{ readonly port: number; readonly close: () => void }>((resume) => {
          const server = createServer((_, response) => response.end(body))
          server.listen(0, "127.0.0.1", () => {
            const address = server.address()
            resume(
              Effect.succeed({
                port: typeof address === "object" && address !== null ? address.port : 0,
                close: () => {
                  server.close()
                  server.closeAllConnections()
                }
              })
            )
          })
        }),
        ({ close }) => Effect.sync(close)
      )
      const explorer = yield* openExplorer({
        url: Redacted.make(`http://127.0.0.1:${port.port}/api`),
        access: { _tag: "Open" }
      })
      const ask = explorer.spenderOf({ transactionId: ID, index: 0 }, 2_000)
      const said = fc.oneof(
        nonsense.map((value) => JSON.stringify(value)),
        fc.string(),
        fc.tuple(fc.array(fc.nat(3), { maxLength: 2 }), nonsense).map(([path, by]) =>
          JSON.stringify(damaged({ spent: true, txid: ID, vin: 0 }, path, "replace", by))
        ),
        fc.constantFrom("{\"spent\":false}", `{"spent":true,"txid":"${ID}"}`, "x".repeat(300_000), "[".repeat(9_000))
      )
      const outcome = (next: string) =>
        Effect.map(
          Effect.andThen(Effect.sync(() => void (body = next)), Effect.exit(ask)),
          (seen) =>
            outcomeOf(
              seen,
              next.slice(0, 200),
              (spender) =>
                spender === undefined ? "nothing" : /^[0-9a-f]{64}$/.test(spender) ? "spender" : assert.fail(spender)
            )
        )
      assert.strictEqual(yield* outcome("{\"spent\":false}"), "nothing")
      assert.strictEqual(yield* outcome(`{"spent":true,"txid":"${ID}","vin":0}`), "spender")
      assert.strictEqual(yield* outcome("{}"), "refused")
      assert.strictEqual(yield* outcome("x".repeat(300_000)), "unreachable")
      for (const next of fc.sample(said, { numRuns: inputs(300, 5_000) })) yield* outcome(next)

      const coin = { txid: ID, vout: 1, value: 5, status: { confirmed: true } }
      const listed = (text: string) =>
        Effect.map(
          Effect.andThen(Effect.sync(() => void (body = text)), Effect.exit(explorer.coinsOf("own", 2_000))),
          (seen) =>
            outcomeOf(seen, text.slice(0, 200), (coins) =>
              coins.every(({ transactionId }) =>
                  /^[0-9a-f]{64}$/.test(transactionId)
                )
                ? `${coins.length}`
                : "no coins")
        )
      assert.strictEqual(yield* listed("[]"), "0")
      assert.strictEqual(yield* listed(JSON.stringify([coin, coin])), "2")
      assert.strictEqual(yield* listed(JSON.stringify([{ ...coin, vout: -1 }])), "refused")
      const harmed = fc.tuple(fc.array(fc.nat(4), { maxLength: 4 }), nonsense).map(([path, by]) =>
        JSON.stringify(damaged([coin], path, "replace", by))
      )
      for (const next of fc.sample(fc.oneof(harmed, said), { numRuns: inputs(200, 3_000) })) {
        assert.notStrictEqual(yield* listed(next), "no coins")
      }
    })))
})
