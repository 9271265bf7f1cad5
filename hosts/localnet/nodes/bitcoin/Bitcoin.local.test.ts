import { assert, it, layer } from "@effect/vitest"
import { Transaction } from "bitcoinjs-lib"
import { Context, Effect, Layer, Schema } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { keyOfName } from "./node/LocalKey.ts"
import type { Paid } from "./node/Payment.ts"
import { saying, signed } from "./node/Payment.ts"
import * as Bitcoin from "./Bitcoin.ts"
import * as BitcoinProcess from "./BitcoinProcess.ts"
import { anyFree } from "../Port.ts"

class Running extends Context.Service<Running, Bitcoin.Bitcoin>()("test/BitcoinRunning") {
  static readonly layer = Layer.effect(Running, Bitcoin.start())
}

const Answer = Schema.Struct({
  result: Schema.Unknown,
  error: Schema.NullOr(Schema.Struct({ code: Schema.Int, message: Schema.String }))
})
const Members = Schema.Record(Schema.String, Schema.Unknown)
const user = keyOfName("causeway.test.bitcoin.user")
const payee = keyOfName("causeway.test.bitcoin.payee")
const COIN = 1_000_000n

const rpc = Effect.fnUntraced(function*(method: string, ...params: ReadonlyArray<unknown>) {
  const { url } = yield* Running
  const body = yield* Effect.promise(() =>
    fetch(url, { method: "POST", body: JSON.stringify({ jsonrpc: "1.0", id: 7, method, params }) }).then((
      response
    ): Promise<unknown> => response.json())
  )
  return Schema.decodeUnknownSync(Answer)(body)
})

/** The value at a path of an answer. Undefined when there is none. */
const at = (value: unknown, ...path: ReadonlyArray<string>): unknown =>
  path.reduce<unknown>(
    (of, key) => typeof of === "object" && of !== null ? Object.getOwnPropertyDescriptor(of, key)?.value : undefined,
    value
  )
const told = (method: string, ...params: ReadonlyArray<unknown>) =>
  Effect.map(rpc(method, ...params), ({ result }) => result)

const explore = Effect.fnUntraced(function*(path: string) {
  const { explorerUrl } = yield* Running
  return Schema.decodeUnknownSync(Members)(
    yield* Effect.promise(() => fetch(`${explorerUrl}${path}`).then((response): Promise<unknown> => response.json()))
  )
})

/** A coin of the user in a block. */
const coin = Effect.gen(function*() {
  const { chain, mine } = yield* Running
  const { id, index } = yield* Effect.promise(() => chain.fund(user.script, COIN))
  yield* mine()
  return { id, index, value: COIN, key: user }
})

const spend = (of: Effect.Success<typeof coin>, fee: bigint, ...outputs: ReadonlyArray<Paid>) =>
  signed({ inputs: [of], outputs: [...outputs, { script: payee.script, amount: of.value - fee }] })

const send = (transaction: Transaction) => rpc("sendrawtransaction", transaction.toHex())

layer(Running.layer, { excludeTestServices: true })("a local Bitcoin chain", (it) => {
  it.effect("starts after segwit, with the genesis of regtest, and mines blocks in sequence", () =>
    Effect.gen(function*() {
      const { mine } = yield* Running
      assert.strictEqual((yield* rpc("getblockhash", 0)).result, BitcoinProcess.REGTEST_GENESIS)
      const before = yield* told("getblockchaininfo")
      const height = Number(at(before, "blocks"))
      assert.isAtLeast(height, 450)
      yield* mine(3)
      assert.strictEqual(at(yield* told("getblockchaininfo"), "blocks"), height + 3)
      const header = yield* told("getblockheader", yield* told("getblockhash", height + 1))
      assert.deepStrictEqual([at(header, "height"), at(header, "previousblockhash"), at(header, "confirmations")], [
        height + 1,
        at(before, "bestblockhash"),
        3
      ])
      assert.deepStrictEqual((yield* rpc("getblockhash", 10 ** 6)).error, {
        code: -8,
        message: "Block height out of range"
      })
    }))

  it.effect("accepts a transaction of bitcoinjs-lib, and node and explorer show it first as waiting, then in a block", () =>
    Effect.gen(function*() {
      const { mine } = yield* Running
      const spent = yield* coin
      assert.strictEqual(at(yield* told("gettxout", spent.id, spent.index), "value"), 0.01)
      const transaction = spend(spent, 500n, saying("hello"))
      const id = transaction.getId()
      assert.strictEqual((yield* send(transaction)).result, id)
      const waiting = yield* told("getrawtransaction", id, 2)
      assert.deepStrictEqual([at(waiting, "hex"), at(waiting, "blockhash"), at(waiting, "vin", "0", "prevout")], [
        transaction.toHex(),
        undefined,
        undefined
      ])
      const scanned = yield* told("scantxoutset", "start", [`addr(${user.address})`])
      assert.include(JSON.stringify(at(scanned, "unspents")), spent.id)
      assert.isNull((yield* rpc("gettxout", spent.id, spent.index)).result)
      assert.isNotNull((yield* rpc("gettxout", spent.id, spent.index, false)).result)
      assert.deepInclude(yield* explore(`/tx/${spent.id}/outspend/${spent.index}`), {
        spent: true,
        txid: id,
        status: { confirmed: false }
      })
      yield* mine()
      const shown = yield* told("getrawtransaction", id, 2)
      assert.deepStrictEqual([
        at(shown, "confirmations"),
        at(shown, "vin", "0", "prevout", "scriptPubKey", "address"),
        at(shown, "vout", "1", "value")
      ], [1, user.address, 0.009_995])
      assert.include(JSON.stringify(yield* told("getblock", at(shown, "blockhash"), 1)), id)
      assert.deepInclude(yield* explore(`/tx/${id}`), { txid: id, fee: 500 })
      assert.isNull((yield* rpc("gettxout", spent.id, spent.index, false)).result)
    }))

  it.effect("refuses what Core refuses: no fee, a forged signature, spent or unknown coins, no transaction", () =>
    Effect.gen(function*() {
      const { mine } = yield* Running
      const spent = yield* coin
      const free = spend(spent, 0n)
      const forged = Transaction.fromHex(spend(spent, 500n).toHex())
      const [witness = []] = forged.ins.map((input) => input.witness)
      const [signature = new Uint8Array(1)] = witness
      signature[20] = (signature[20] ?? 0) ^ 1
      assert.strictEqual((yield* send(forged)).error?.code, -26)
      assert.strictEqual((yield* send(free)).error?.code, -26)
      assert.strictEqual((yield* rpc("sendrawtransaction", "00")).error?.code, -22)
      assert.strictEqual((yield* send(spend({ ...spent, id: "77".repeat(32) }, 500n))).error?.code, -25)
      assert.isNull((yield* send(spend(spent, 500n))).error)
      yield* mine()
      assert.strictEqual((yield* send(spend(spent, 900n))).error?.code, -25)
      assert.strictEqual((yield* rpc("getrawtransaction", "77".repeat(32), 1)).error?.code, -5)
      assert.strictEqual((yield* rpc("nothing")).error?.code, -32_601)
    }))

  it.effect("replaces a transaction by one that pays more, and never by one that does not", () =>
    Effect.gen(function*() {
      const { chain, mine } = yield* Running
      const spent = yield* coin
      const first = spend(spent, 500n)
      const dearer = spend(spent, 5_000n, saying("dearer"))
      yield* send(first)
      assert.strictEqual((yield* send(spend(spent, 510n, saying("no more")))).error?.code, -26)
      assert.isTrue(chain.isWaiting(first.getId()))
      assert.isNull((yield* send(dearer)).error)
      assert.strictEqual((yield* rpc("getrawtransaction", first.getId(), 1)).error?.code, -5)
      yield* mine()
      assert.strictEqual(at(yield* told("getrawtransaction", dearer.getId(), 1), "confirmations"), 1)
    }))

  it.effect("says whether it would accept a transaction, in Core's words, without accepting it", () =>
    Effect.gen(function*() {
      const { chain, mine } = yield* Running
      const spent = yield* coin
      const tried = (transaction: Transaction, ...rest: ReadonlyArray<unknown>) =>
        Effect.map(told("testmempoolaccept", [transaction.toHex()], ...rest), (answers) => at(answers, "0"))
      const refusal = (transaction: Transaction, ...rest: ReadonlyArray<unknown>) =>
        Effect.map(tried(transaction, ...rest), (answer) => at(answer, "reject-reason"))
      const first = spend(spent, 500n)
      const wtxid = Buffer.from(first.getHash(true).toReversed()).toString("hex")
      const fees = {
        base: 0.000_005,
        "effective-feerate": Number(500_000n / BigInt(first.virtualSize())) / 1e8,
        "effective-includes": [wtxid]
      }
      assert.deepStrictEqual(yield* tried(first), {
        txid: first.getId(),
        wtxid,
        allowed: true,
        vsize: first.virtualSize(),
        fees
      })
      assert.isFalse(chain.isWaiting(first.getId()))
      const free = yield* tried(spend(spent, 0n))
      assert.deepStrictEqual([
        at(free, "allowed"),
        at(free, "txid"),
        at(free, "vsize"),
        typeof at(free, "reject-reason")
      ], [false, spend(spent, 0n).getId(), undefined, "string"])
      // `sendrawtransaction` says no more than that.
      assert.strictEqual((yield* send(spend(spent, 0n))).error?.message, at(free, "reject-reason"))
      assert.strictEqual(yield* refusal(spend({ ...spent, id: "77".repeat(32) }, 500n)), "missing-inputs")
      assert.strictEqual(yield* refusal(first, 0.000_001), "max-fee-exceeded")
      const rich = {
        ...(yield* Effect.promise(() => chain.fund(user.script, 5_000_000n))),
        value: 5_000_000n,
        key: user
      }
      yield* mine()
      assert.strictEqual(yield* refusal(spend(rich, 4_000_000n)), "max-fee-exceeded")
      assert.isUndefined(yield* refusal(spend(rich, 4_000_000n), 0))
      yield* send(first)
      assert.strictEqual(yield* refusal(first), "txn-already-in-mempool")
      // The check alone replaces no transaction.
      assert.isUndefined(yield* refusal(spend(spent, 5_000n, saying("dearer"))))
      assert.strictEqual(
        yield* refusal(spend(spent, 510n, saying("no more"))),
        "insufficient fee, rejecting replacement"
      )
      assert.isTrue(chain.isWaiting(first.getId()))
      yield* mine()
      assert.strictEqual(yield* refusal(first), "txn-already-known")
      assert.strictEqual(yield* refusal(spend(spent, 900n, saying("again"))), "missing-inputs")
      assert.strictEqual((yield* rpc("testmempoolaccept", [])).error?.code, -8)
      assert.strictEqual((yield* rpc("testmempoolaccept", [first.toHex(), first.toHex()])).error?.code, -8)
      assert.strictEqual((yield* rpc("testmempoolaccept", first.toHex())).error?.code, -3)
      assert.deepStrictEqual((yield* rpc("testmempoolaccept", ["zz"])).error, {
        code: -22,
        message: "TX decode failed: zz Make sure the tx has at least one input."
      })
    }))

  it.effect("drops two blocks for a longer branch: their transactions wait again, or are gone and their coins can be spent otherwise", () =>
    Effect.gen(function*() {
      const { chain, mine, reorg } = yield* Running
      const spent = yield* coin
      const transaction = spend(spent, 500n)
      yield* send(transaction)
      yield* mine(2)
      const place = yield* told("getrawtransaction", transaction.getId(), 1)
      const height = chain.ledger.tip.height
      yield* reorg(2)
      assert.strictEqual(chain.ledger.tip.height, height + 1)
      assert.isTrue(chain.isWaiting(transaction.getId()))
      assert.strictEqual(at(yield* told("getblockheader", at(place, "blockhash")), "confirmations"), -1)
      yield* mine(2)
      assert.strictEqual(at(yield* told("getrawtransaction", transaction.getId(), 1), "confirmations"), 2)
      yield* reorg(2, "dropped")
      const stale = yield* told("getrawtransaction", transaction.getId(), 1)
      assert.strictEqual(at(stale, "confirmations"), 0)
      const otherwise = spend(spent, 700n)
      assert.isNull((yield* send(otherwise)).error)
      yield* mine()
      assert.deepInclude(yield* explore(`/tx/${spent.id}/outspend/${spent.index}`), {
        spent: true,
        txid: otherwise.getId()
      })
    }))

  it.effect("is down, slow, silent or lying when told to, node and explorer separately", () =>
    Effect.gen(function*() {
      const { explorerUrl, setExplorerFault, setFault, url } = yield* Running
      const status = (at: string, init?: RequestInit) =>
        Effect.promise(() => fetch(at, init).then((response) => response.status, () => 0))
      const asking = { method: "POST", body: JSON.stringify({ id: 1, method: "getblockcount", params: [] }) }
      yield* setFault({ kind: "status", status: 503 })
      assert.deepStrictEqual([yield* status(url, asking), yield* status(`${explorerUrl}/blocks/tip/height`)], [
        503,
        200
      ])
      yield* setFault({ kind: "lie", methods: ["getblockcount"], tell: () => 1 })
      assert.strictEqual((yield* rpc("getblockcount")).result, 1)
      yield* setFault({ kind: "hang" })
      assert.strictEqual(yield* status(url, { ...asking, signal: AbortSignal.timeout(100) }), 0)
      yield* setFault(undefined)
      yield* setExplorerFault({ kind: "status", status: 502 })
      assert.deepStrictEqual([yield* status(url, asking), yield* status(`${explorerUrl}/blocks/tip/height`)], [
        200,
        502
      ])
      yield* setExplorerFault(undefined)
    }))
})

it.live("in its own process it is kept over restarts, including waiting transactions, and refuses a damaged file and a taken port", () =>
  Effect.gen(function*() {
    const folder = mkdtempSync(join(tmpdir(), "causeway-bitcoin-"))
    const stateFile = join(folder, "bitcoin.json")
    const ask = (url: string, method: string) =>
      Effect.promise(() =>
        fetch(url, { method: "POST", body: JSON.stringify({ id: 1, method, params: [] }) }).then((
          response
        ): Promise<unknown> => response.json())
      )
    const port = yield* anyFree
    const seen = yield* Effect.scoped(Effect.gen(function*() {
      const { url } = yield* BitcoinProcess.start({ port, stateFile })
      const taken = yield* Effect.flip(Effect.scoped(BitcoinProcess.start({ port, stateFile: `${stateFile}.other` })))
      assert.strictEqual(taken.kind, "port-taken")
      return Number(at(yield* ask(url, "getblockcount"), "result"))
    }))
    assert.isAtLeast(seen, 450)
    const chain = yield* Effect.scoped(Effect.gen(function*() {
      const { chain, mine } = yield* Bitcoin.start({ stateFile })
      assert.isAtLeast(chain.ledger.tip.height, seen)
      const { id } = yield* Effect.promise(() => chain.fund(user.script, COIN))
      yield* mine()
      const waits = yield* Effect.promise(() => chain.fund(user.script, COIN))
      return { tip: chain.ledger.tip.hash, id, waits: waits.id }
    }))
    yield* Effect.scoped(Effect.gen(function*() {
      const { chain: again } = yield* Bitcoin.start({ stateFile })
      assert.deepStrictEqual([
        again.ledger.tip.hash,
        again.ledger.confirmedIn(chain.id)?.hash,
        again.isWaiting(chain.waits)
      ], [chain.tip, chain.tip, true])
    }))
    writeFileSync(stateFile, "{")
    const damaged = yield* Effect.flip(Effect.scoped(BitcoinProcess.start({ port, stateFile })))
    assert.strictEqual(damaged.kind, "not-started")
    rmSync(folder, { recursive: true })
  }))
