/** What the simulator of exchange B does to nonces, fees and lists, asked with the unmodified SDK and our client. */
import { assert, describe, it } from "@effect/vitest"
import { SignerClient } from "@reservoir0x/lighter-ts-sdk"
import { Effect, Redacted, Schema } from "effect"
import { privateKeyToAccount } from "viem/accounts"
import { AssetsAnswer } from "../../../../adapters/exchange-b/decode/NodeAnswers.ts"
import { makeExchangeBClient } from "../../../../adapters/exchange-b/rpc/ExchangeBClient.ts"
import { ExchangeB } from "./ExchangeB.ts"
import type { ExchangeBOptions } from "./ExchangeB.ts"
import { EXECUTED, FAILED, REJECTED } from "./node/State.ts"

const [USER, OTHER, SAVINGS] = [11, 12, 13]
const [USDC, ETH] = [3, 1]
const key = `0x${"a1".repeat(32)}`
const memo = `0x${"1d".repeat(32)}`
const decodeInfo = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown)))

const started = Effect.fnUntraced(function*(options: ExchangeBOptions = {}) {
  const exchange = yield* ExchangeB.start(options)
  const user = privateKeyToAccount(`0x${"a1".repeat(32)}`).address
  // A rule of its own, shown below.
  exchange.ask(USDC, 0)
  exchange.open(USER, user)
  exchange.open(SAVINGS, user)
  exchange.open(OTHER, privateKeyToAccount(`0x${"b2".repeat(32)}`).address)
  for (const asset of [USDC, ETH]) for (const route of [0, 1]) exchange.credit(USER, asset, route, 1_000)
  const [url = ""] = exchange.urls
  const client = yield* makeExchangeBClient(Redacted.make(url), undefined)
  /** Sends by the SDK. The hash, or its error. */
  const send = (
    given: {
      amount?: number
      apiKey?: number
      fee?: number
      nonce?: number
      route?: number
      to?: number
      toRoute?: number
    } = {}
  ) =>
    Effect.promise(async () => {
      const sdk = new SignerClient({
        url,
        privateKey: `0x${"12".repeat(40)}`,
        accountIndex: USER,
        apiKeyIndex: given.apiKey ?? 2
      })
      await sdk.initialize()
      await sdk.ensureWasmClient()
      const [, hash, error] = await sdk.transfer({
        toAccountIndex: given.to ?? OTHER,
        assetIndex: USDC,
        fromRouteType: given.route ?? 0,
        toRouteType: given.toRoute ?? given.route ?? 0,
        amount: given.amount ?? 10,
        usdcFee: given.fee ?? 0,
        memo,
        ethSigner: key,
        ...(given.nonce === undefined ? {} : { nonce: given.nonce })
      })
      return error ?? hash
    })
  const nextNonce = (apiKey: number) =>
    Effect.map(
      client.nextNonce(`${USER}`, apiKey, 5_000),
      (said) => Schema.decodeUnknownSync(Schema.Struct({ nonce: Schema.Int }))(said).nonce
    )
  const holder = (expiry: number, account = USER) => ({
    account: `${account}`,
    token: Redacted.make(`ro:${USER}:single:${expiry}:${"ab".repeat(16)}`)
  })
  return { client, exchange, holder, nextNonce, send }
})

const isHash = (text: string): boolean => /^[0-9a-f]{80}$/.test(text)

describe("the simulated exchange B", () => {
  it.effect("counts the nonces of each API key apart: a refusal uses none, a failure and a rejection do", () =>
    Effect.gen(function*() {
      const { exchange, nextNonce, send } = yield* started()
      assert.isTrue(isHash(yield* send()))
      assert.isTrue(isHash(yield* send({ apiKey: 3 })))
      assert.include(yield* send({ nonce: 5 }), "invalid nonce")
      assert.include(yield* send({ to: 99 }), "account not found")
      assert.deepStrictEqual([yield* nextNonce(2), yield* nextNonce(3)], [1, 1])
      const unfunded = yield* send({ amount: 5_000 })
      assert.strictEqual(exchange.sent().find(({ hash }) => hash === unfunded)?.status, FAILED)
      exchange.hold(true)
      const [rejected, late] = [yield* send(), yield* send({ apiKey: 3 })]
      exchange.settle(rejected, REJECTED)
      assert.deepStrictEqual([yield* nextNonce(2), yield* nextNonce(3)], [3, 2])
      exchange.pass(3_600_000)
      exchange.settle(late, EXECUTED)
      assert.strictEqual(exchange.sent().find(({ hash }) => hash === late)?.status, REJECTED)
      exchange.drop(yield* send({ apiKey: 3 }))
      assert.strictEqual(yield* nextNonce(3), 2)
      assert.strictEqual(exchange.balance(OTHER, USDC, 0), 20)
    }))

  it.effect("refuses too little to another owner, other assets to a pool, and a unified account's transfer to itself", () =>
    Effect.gen(function*() {
      const { client, exchange, nextNonce, send } = yield* started()
      exchange.ask(USDC, 100)
      const { asset_details: assets } = Schema.decodeUnknownSync(AssetsAnswer)(yield* client.assets(5_000))
      assert.strictEqual(assets.find(({ asset_id }) => asset_id === USDC)?.min_transfer_amount, "0.000100")
      assert.include(yield* send({ amount: 99 }), "too small")
      assert.isTrue(isHash(yield* send({ amount: 100 })))
      assert.isTrue(isHash(yield* send({ amount: 99, to: SAVINGS })))
      exchange.make(SAVINGS, 2)
      assert.isTrue(isHash(yield* send({ to: SAVINGS })))
      assert.include(yield* send({ to: SAVINGS, route: 1 }), "account type")
      assert.include(yield* send({ to: USER }), "route")
      assert.isTrue(isHash(yield* send({ to: USER, toRoute: 1 })))
      exchange.unify(USER, true)
      assert.include(yield* send({ to: USER, toRoute: 1 }), "route")
      assert.strictEqual(yield* nextNonce(2), 4)
    }))

  it.effect("charges a transfer to another owner its fee, and needs no signature within one owner", () =>
    Effect.gen(function*() {
      const { client, exchange, holder, send } = yield* started()
      exchange.charge(7)
      const soon = Math.floor(exchange.now() / 1_000) + 600
      const fee = (to: number) => client.transferFee(holder(soon), `${to}`, 5_000)
      assert.deepInclude(yield* fee(OTHER), { transfer_fee_usdc: 7 })
      assert.deepInclude(yield* fee(SAVINGS), { transfer_fee_usdc: 0 })
      assert.include(yield* send({ fee: 6 }), "fee")
      assert.isTrue(isHash(yield* send({ fee: 7 })))
      assert.strictEqual(exchange.balance(USER, USDC, 0), 983)
      const { info } = exchange.sent()[0] ?? {}
      const own = { ...info, ToAccountIndex: SAVINGS, L1Sig: "", USDCFee: 0, Nonce: 1 }
      assert.deepInclude(yield* client.submit(JSON.stringify(own), 5_000), { code: 200 })
      const foreign = { ...own, ToAccountIndex: OTHER, USDCFee: 7, Nonce: 2 }
      assert.deepInclude(yield* client.submit(JSON.stringify(foreign), 5_000), { code: 21_120 })
      assert.strictEqual(exchange.balance(SAVINGS, USDC, 0), 10)
    }))

  it.effect("lists an account's transfers to holders of its token, without memos, in pages", () =>
    Effect.gen(function*() {
      const { client, exchange, holder, send } = yield* started()
      yield* send()
      const [first] = exchange.sent()
      for (let nonce = 1; nonce <= 120; nonce += 1) {
        const own = { ...first?.info, ToAccountIndex: SAVINGS, Nonce: nonce, Amount: 1 }
        yield* client.submit(JSON.stringify(own), 5_000)
      }
      const soon = Math.floor(exchange.now() / 1_000) + 600
      const decode = Schema.decodeUnknownSync(
        Schema.Struct({
          cursor: Schema.String,
          transfers: Schema.Array(Schema.Struct({ tx_hash: Schema.String, amount: Schema.String }))
        })
      )
      const newest = decode(yield* client.transfers(holder(soon), undefined, 5_000))
      const older = decode(yield* client.transfers(holder(soon), newest.cursor, 5_000))
      assert.deepStrictEqual([newest.transfers.length, older.transfers.length, older.cursor], [100, 21, ""])
      assert.deepStrictEqual(older.transfers.at(-1), { tx_hash: first?.hash ?? "", amount: "0.000010" })
      const { txs: [last] } = Schema.decodeUnknownSync(
        Schema.Struct({ txs: Schema.Array(Schema.Struct({ info: Schema.String, nonce: Schema.Int })) })
      )(yield* client.transactions(holder(soon), 0, 5_000))
      assert.strictEqual(last?.nonce, 120)
      assert.notProperty(decodeInfo(last?.info ?? "{}"), "Memo")
      for (const refused of [holder(soon, OTHER), holder(soon - 1_200)]) {
        assert.strictEqual(yield* Effect.flip(client.transfers(refused, undefined, 5_000)), "refused")
      }
    }))

  it.effect("tells by its firewall's status and by its own code when it answers no more, of reads alone", () =>
    Effect.gen(function*() {
      const { exchange } = yield* started()
      const [url = ""] = exchange.urls
      let barred = 0
      const client = yield* makeExchangeBClient(Redacted.make(url), undefined, Effect.sync(() => void (barred += 1)))
      const asked = Effect.fnUntraced(function*(status: number, body?: unknown) {
        yield* exchange.misbehave({ kind: "status", status, body })
        const [read, sent] = [
          yield* Effect.flip(client.account("1", 5_000)),
          yield* Effect.flip(client.submit("", 5_000))
        ]
        return [read, sent, barred]
      })
      assert.deepStrictEqual(yield* asked(429), ["over-quota", "over-quota", 0])
      assert.deepStrictEqual(yield* asked(503), ["refused", "refused", 0])
      assert.deepStrictEqual(yield* asked(405), ["over-quota", "over-quota", 1])
      assert.deepStrictEqual(yield* asked(400, { code: 23_000, message: "" }), ["over-quota", "over-quota", 2])
    }))

  it.effect("answers so many requests a minute, and has taken what it answers nothing to unless it is away", () =>
    Effect.gen(function*() {
      const { client } = yield* started({ perMinute: 2 })
      yield* client.root(5_000)
      yield* client.root(5_000)
      assert.strictEqual(yield* Effect.flip(client.root(5_000)), "over-quota")
      const { exchange, send } = yield* started()
      yield* exchange.misbehave({ kind: "away", questions: ["api/v1/sendTx"] })
      assert.isFalse(isHash(yield* send()))
      assert.lengthOf(exchange.sent(), 0)
      yield* exchange.misbehave({ kind: "down", questions: ["sendTx"] })
      assert.isFalse(isHash(yield* send()))
      assert.lengthOf(exchange.sent(), 1)
      yield* exchange.misbehave()
      assert.include(yield* send({ nonce: 0 }), "invalid nonce")
    }))
})
