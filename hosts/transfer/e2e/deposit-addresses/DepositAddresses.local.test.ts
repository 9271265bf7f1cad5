/**
 * Deposit addresses on real chains: every row and column of the table in ADDRESS-5, for a user who only sends money.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import { toFunctionSelector } from "viem"
import type { Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { inspect } from "node:util"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { startFixture } from "../../testing/Fixture.ts"
import { sweepData, sweepForData, sweepManyData } from "../../../../adapters/ethereum/contracts/testing/Factory.ts"
import { Address } from "../../../../src/domain/chain/Address.ts"
import { computeDepositAddress } from "../../../../src/domain/deposit-address/DepositAddress.ts"
import { OrderId } from "../../../../src/domain/order/Order.ts"
import { ended, nativeRequest, post, reader, sendCall } from "../../testing/Client.ts"
import type { QuoteAnswer } from "../../testing/Client.ts"
import { depositFactory } from "../../../localnet/nodes/ethereum/DepositFactory.ts"
import { addressFor, payTo, requestsOf } from "../../testing/Addressed.ts"
import { get } from "../../testing/Get.ts"
import { eventually } from "../../testing/Misbehaving.ts"
import { POISON, putPoison } from "../../testing/PoisonedMint.ts"
import { learnOrder } from "../../testing/Sweeper.ts"
import { ETH, held, USDC } from "../../testing/Tokens.ts"
import type { TestCurrency } from "../../testing/Tokens.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"

class Running extends fixtureOf<Running>()("test/DepositAddresses", startFixture(startNetwork)) {}

const decodeChains = Schema.decodeUnknownSync(Schema.Struct({
  chains: Schema.Array(Schema.Struct({
    id: Schema.Int,
    protocol: Schema.Struct({ v2: Schema.Struct({ depositAddresses: Schema.Struct({ factory: Schema.String }) }) })
  }))
}))

const decodeQuoted = Schema.decodeUnknownSync(Schema.Struct({
  protocol: Schema.Struct({ v2: Schema.Struct({ orderId: OrderId }) }),
  steps: Schema.Tuple([Schema.Struct({ depositAddress: Schema.String, requestId: Schema.String })])
}))

/** More than the gas of a sweep and a refund here, far less than the amounts sent. */
const DUST: Readonly<Record<string, bigint>> = { ETH: 10n ** 15n, USDC: 1_500_000n }

layer(Running.layer, { excludeTestServices: true })("a deposit address", (it) => {
  const ask = Effect.fnUntraced(function*(currency: TestCurrency, changes: object = {}) {
    const { chains, fresh, url } = yield* Running
    const user = privateKeyToAccount(chains.users[0] ?? "0x").address
    const [recipient, refundTo] = [fresh(), fresh()]
    const made = yield* addressFor(url, {
      ...nativeRequest(user, chains.alpha, chains.beta, currency.some, { recipient, refundTo, ...changes }),
      originCurrency: currency.address,
      destinationCurrency: currency.address
    })
    return { ...made, recipient, refundTo }
  })

  /** A payment by any account: an exchange, a friend. */
  const send = Effect.fnUntraced(function*(to: Hex, currency: TestCurrency, amount: bigint) {
    const { chains } = yield* Running
    yield* payTo(chains.alpha, chains.users[1] ?? "0x", to, currency, amount)
  })

  const delivered = ({ details }: QuoteAnswer): bigint => BigInt(details.currencyOut.amount)

  const arrived = Effect.fnUntraced(function*(currency: TestCurrency, account: Hex) {
    const { chains } = yield* Running
    return yield* held(chains.beta, currency, account)
  })

  const returned = Effect.fnUntraced(function*(currency: TestCurrency, account: Hex) {
    const { chains } = yield* Running
    return yield* held(chains.alpha, currency, account)
  })

  const assertBack = Effect.fnUntraced(function*(currency: TestCurrency, account: Hex, sent: bigint) {
    const back = yield* eventually(`${currency.symbol} is back`, returned(currency, account), (balance) => balance > 0n)
    assert.isTrue(back < sent && back > sent - (DUST[currency.symbol] ?? 0n), `${back} of ${sent} ${currency.symbol}`)
    return back
  })

  it.effect("is computed from its order, its depositor and the factory in GET /chains; its public record names neither order nor depositor", () =>
    Effect.gen(function*() {
      const { chains, fresh, url } = yield* Running
      const recoveryAddress = fresh()
      const user = privateKeyToAccount(chains.users[0] ?? "0x").address
      const quoted = yield* post(
        `${url}/quote`,
        nativeRequest(user, chains.alpha, chains.beta, ETH.some, {
          recipient: fresh(),
          refundTo: fresh(),
          recoveryAddress,
          useDepositAddress: true,
          includeProtocolData: true
        })
      )
      const { protocol: { v2: { orderId } }, steps: [{ depositAddress, requestId }] } = decodeQuoted(quoted.json())
      const told = yield* get(`${url}/deposit-addresses?requestId=${requestId}`)
      assert.include(told.text, depositAddress)
      for (const part of [orderId, recoveryAddress]) assert.notInclude(told.text.toLowerCase(), part.toLowerCase())
      const served = decodeChains((yield* get(`${url}/chains`)).json()).chains.find(({ id }) =>
        id === chains.alpha.chainId
      )
      const factory = Address.make(served?.protocol.v2.depositAddresses.factory ?? "none")
      const computed = Result.getOrThrow(
        computeDepositAddress({ factory, orderId, depositor: Address.make(recoveryAddress) })
      )
      assert.strictEqual(computed, Address.make(depositAddress))
    }))

  it.effect("cannot be swept by a stranger who knows its order: no call moves its balance, alone or beside made-up tokens, and it is filled once there is enough", () =>
    Effect.gen(function*() {
      const { chains: { alpha, users }, url } = yield* Running
      const { depositAddress, quoted, recipient } = yield* ask(USDC)
      yield* send(depositAddress, USDC, USDC.some)
      assert.strictEqual((yield* ended(url, quoted)).status, "success")
      // Too little for its sweep, so it waits, and the stranger has unlimited time.
      const little = 1_000n
      yield* send(depositAddress, USDC, little)
      const learned = { ...yield* learnOrder(alpha, depositAddress, USDC), currency: USDC.address }
      const at = Result.getOrThrow(
        computeDepositAddress({
          factory: Address.make(depositFactory.toLowerCase()),
          orderId: OrderId.make(learned.orderId),
          depositor: Address.make(learned.depositor.toLowerCase())
        })
      )
      assert.strictEqual<string>(at, depositAddress)
      const stranger = users[2] ?? "0x"
      for (const data of [sweepData(learned), sweepForData(learned), sweepManyData([learned])]) {
        const call = { account: privateKeyToAccount(stranger), to: depositFactory, data }
        const refused = yield* Effect.promise(() =>
          reader(alpha).call(call).then(() => "swept", (error: unknown) => inspect(error, { depth: 9 }))
        )
        assert.include(refused, toFunctionSelector("NotAnOperator(address)"))
      }
      // His contract continues when the factory refuses it: its transaction succeeds, and deposits nothing of the
      // victim's.
      yield* putPoison(alpha, depositFactory)
      assert.strictEqual(
        (yield* sendCall(alpha, stranger, { to: POISON, data: sweepData(learned), gas: 1_000_000n })).status,
        "success"
      )
      assert.strictEqual(yield* held(alpha, USDC, depositAddress), little)
      yield* send(depositAddress, USDC, USDC.some - little)
      yield* eventually(
        "the second is filled",
        requestsOf(url, depositAddress),
        (found) => found.length === 2 && found.every(({ status }) => status === "success")
      )
      assert.isAbove(Number(yield* arrived(USDC, recipient)), Number(delivered(quoted)))
    }))

  for (const currency of [ETH, USDC]) {
    for (const strict of [false, true]) {
      it.effect(`${currency.symbol}, ${strict ? "strict" : "open"}: the exact amount is filled as quoted`, () =>
        Effect.gen(function*() {
          const { url } = yield* Running
          const { depositAddress, quoted, recipient } = yield* ask(currency, { strict })
          yield* send(depositAddress, currency, currency.some)
          assert.strictEqual((yield* ended(url, quoted)).status, "success")
          assert.strictEqual(yield* arrived(currency, recipient), delivered(quoted))
        }))
    }

    it.effect(`${currency.symbol}, open: a larger amount is filled, and each later deposit is a separate request`, () =>
      Effect.gen(function*() {
        const { url } = yield* Running
        const { depositAddress, quoted, recipient } = yield* ask(currency)
        yield* send(depositAddress, currency, currency.some * 2n)
        assert.strictEqual((yield* ended(url, quoted)).status, "success")
        const first = yield* arrived(currency, recipient)
        assert.isTrue(first > delivered(quoted) && first < currency.some * 2n)
        yield* send(depositAddress, currency, currency.some)
        const both = yield* eventually(
          "a second request succeeds",
          requestsOf(url, depositAddress),
          (found) => found.length === 2 && found.every(({ status }) => status === "success")
        )
        const second = (yield* arrived(currency, recipient)) - first
        assert.isTrue(second > currency.some - 2n * (DUST[currency.symbol] ?? 0n) && second < currency.some)
        assert.deepStrictEqual(both.map(({ data }) => data.refunds), [[], []])
      }))

    it.effect(`${currency.symbol}, strict: of a larger amount the quoted part is filled, and the excess is a separate refund leg`, () =>
      Effect.gen(function*() {
        const { url } = yield* Running
        const { depositAddress, quoted, recipient, refundTo } = yield* ask(currency, { strict: true })
        yield* send(depositAddress, currency, currency.some * 2n)
        assert.strictEqual((yield* ended(url, quoted)).status, "success")
        assert.strictEqual(yield* arrived(currency, recipient), delivered(quoted))
        const back = yield* assertBack(currency, refundTo, currency.some)
        const [request] = yield* eventually(
          "the leg is shown",
          requestsOf(url, depositAddress),
          ([one]) => one?.data.refunds[0]?.state === "paid"
        )
        assert.strictEqual(request?.status, "success")
        assert.deepInclude(request?.data.refunds[0], { refunded: back.toString(), recipient: refundTo })
        assert.strictEqual(request?.data.failReason, "N/A")
      }))

    it.effect(`${currency.symbol}, strict: a smaller amount fails and is refunded, and so is what comes after it`, () =>
      Effect.gen(function*() {
        const { url } = yield* Running
        const { depositAddress, quoted, recipient, refundTo } = yield* ask(currency, { strict: true })
        const less = currency.some - 1n
        yield* send(depositAddress, currency, less)
        const end = yield* ended(url, quoted)
        assert.deepStrictEqual([end.status, end.failReason], ["refund", "DEPOSITED_AMOUNT_TOO_LOW_TO_FILL"])
        const back = yield* assertBack(currency, refundTo, less)
        yield* send(depositAddress, currency, currency.some)
        yield* eventually("the second is back too", returned(currency, refundTo), (balance) => balance > back)
        assert.strictEqual(yield* arrived(currency, recipient), 0n)
        const [request] = yield* requestsOf(url, depositAddress)
        assert.deepStrictEqual([request?.status, request?.data.refunds.length], ["refund", 2])
      }))
  }

  it.effect("strict: a second deposit is never filled", () =>
    Effect.gen(function*() {
      const { url } = yield* Running
      const { depositAddress, quoted, recipient, refundTo } = yield* ask(ETH, { strict: true })
      yield* send(depositAddress, ETH, ETH.some)
      assert.strictEqual((yield* ended(url, quoted)).status, "success")
      yield* send(depositAddress, ETH, ETH.some)
      yield* assertBack(ETH, refundTo, ETH.some)
      assert.strictEqual(yield* arrived(ETH, recipient), delivered(quoted))
      const [request] = yield* requestsOf(url, depositAddress)
      assert.strictEqual(request?.status, "success")
    }))

  it.effect("open: a smaller amount is filled when it covers its fees, also in several parts; otherwise it waits", () =>
    Effect.gen(function*() {
      const { url } = yield* Running
      const { depositAddress, quoted, recipient } = yield* ask(ETH)
      const half = ETH.some / 2n
      // Worth less than its own sweep: it stays until there is more.
      yield* send(depositAddress, ETH, 1n)
      yield* Effect.sleep("2 seconds")
      assert.deepStrictEqual((yield* requestsOf(url, depositAddress)).map(({ status }) => status), ["waiting"])
      yield* send(depositAddress, ETH, half)
      // A balance that was not worth it rests for a minute. A reindex, or the end of that minute, ends the rest.
      assert.strictEqual((yield* ended(url, quoted)).status, "success")
      const first = yield* arrived(ETH, recipient)
      assert.isTrue(first > 0n && first < half)
    }))
})
