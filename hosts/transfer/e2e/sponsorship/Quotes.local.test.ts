import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { MicroUsdc } from "../../../../src/domain/ledger/MicroUsdc.ts"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { requestOf, startFixture } from "../../testing/Fixture.ts"
import { postQuote } from "../../testing/Client.ts"
import { get } from "../../testing/Get.ts"
import { keyOf, ledgerOf } from "../../testing/Sponsor.ts"
import type { TestSponsor } from "../../testing/Sponsor.ts"
import { SponsoredQuote } from "../../testing/Sponsored.ts"
import { USDC, USDT } from "../../testing/Tokens.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"
import { verified } from "../../testing/Verified.ts"

const walletOf = (byte: string) => `0x${byte.repeat(20)}`
const rich: TestSponsor = { id: "rich", wallet: walletOf("a1"), balance: 1_000_000_000n }
const capped: TestSponsor = { id: "capped", wallet: walletOf("a1"), balance: 0n, defaultCap: 10_000n }
const poor: TestSponsor = { id: "poor", wallet: walletOf("a2"), balance: 10n }
const unlinked: TestSponsor = { id: "unlinked", wallet: undefined, balance: 0n }
const bounded: TestSponsor = { id: "bounded", wallet: walletOf("a1"), balance: 0n, budget: { perDay: MicroUsdc(20n) } }

const ADMIN_TOKEN = "an admin token of more than thirty-two characters"

class Running extends fixtureOf<Running>()(
  "test/SponsoredQuotes",
  startFixture(startNetwork, { settings: { ADMIN_TOKEN }, sponsors: [rich, capped, poor, unlinked, bounded] })
) {}

const Refused = Schema.Struct({ message: Schema.String, errorCode: Schema.String, statusCode: Schema.Int })

const Members = Schema.Record(Schema.String, Schema.Unknown)

const body = (changes: object) => Effect.map(Running, (running) => requestOf(running, 0, [USDC, USDC], changes))

const ask = Effect.fnUntraced(function*(changes: object, sponsor?: TestSponsor) {
  const { url } = yield* Running
  return yield* postQuote(url, yield* body(changes), sponsor === undefined ? {} : keyOf(sponsor))
})

const sponsored = Effect.fnUntraced(function*(changes: object, sponsor: TestSponsor) {
  const answer = yield* ask({ subsidizeFees: true, ...changes }, sponsor)
  assert.strictEqual(answer.status, 200, answer.text)
  return yield* Schema.decodeUnknownEffect(SponsoredQuote)(answer.json())
})

const refused = Effect.fnUntraced(function*(changes: object, sponsor?: TestSponsor) {
  const answer = yield* ask({ subsidizeFees: true, ...changes }, sponsor)
  const { errorCode, message, statusCode } = yield* Schema.decodeUnknownEffect(Refused)(answer.json())
  assert.strictEqual(answer.status, statusCode)
  return {
    status: answer.status,
    errorCode,
    message,
    members: Object.keys(Schema.decodeUnknownSync(Members)(answer.json())).toSorted()
  }
})

layer(Running.layer, { excludeTestServices: true })("a sponsored quote", (it) => {
  it.effect("delivers the whole amount and shows who pays", () =>
    Effect.gen(function*() {
      const { chains, store, url } = yield* Running
      const { details, fees, feeSponsorship: { actual, quoted } } = yield* sponsored({}, rich)
      assert.deepStrictEqual(details.currencyOut.amount, "25000000")
      assert.strictEqual(quoted.userPaysTotal.amount, "0")
      assert.strictEqual(quoted.sponsoredTotal.amount, fees["subsidized"]?.amount)
      assert.strictEqual(quoted.sponsoredTotal.amount, fees["relayer"]?.amount)
      assert.strictEqual(details.expandedPriceImpact["sponsored"]?.usd, fees["subsidized"]?.amountUsd)
      assert.isAbove(Number(fees["subsidized"]?.amount), 20_000)
      assert.deepStrictEqual(Object.keys(quoted.components), ["execution", "swap", "service", "app", "rent"])
      assert.deepStrictEqual(quoted.selectedComponents, ["execution", "swap", "service", "app"])
      assert.isFalse(quoted.capHit)
      assert.isUndefined(quoted.maxSubsidizationAmount)
      assert.isUndefined(actual)
      yield* verified(url, chains, yield* body({ subsidizeFees: true, maxSubsidizationAmount: "20001" }), keyOf(rich))
      // A quote charges nothing.
      assert.deepStrictEqual(yield* ledgerOf(store), {
        External: -1_000_000_010n,
        [`Wallet:${walletOf("a1")}`]: 1_000_000_000n,
        [`Wallet:${walletOf("a2")}`]: 10n
      })
    }))

  it.effect("above the cap the user pays the rest; without a cap in the request the key's counts", () =>
    Effect.gen(function*() {
      const own = yield* sponsored({ maxSubsidizationAmount: "20000" }, rich)
      assert.isTrue(own.feeSponsorship.quoted.capHit)
      assert.strictEqual(own.feeSponsorship.quoted.maxSubsidizationAmount, "20000")
      const usd = Number(own.fees["subsidized"]?.amountUsd)
      assert.isTrue(usd <= 0.02 && usd > 0.0199, `${usd}`)
      assert.strictEqual(
        BigInt(own.details.currencyIn.amount) - BigInt(own.feeSponsorship.quoted.userPaysTotal.amount),
        BigInt(own.details.currencyOut.amount)
      )
      const byDefault = yield* sponsored({}, capped)
      assert.strictEqual(byDefault.fees["subsidized"]?.amountUsd, "0.010000")
      assert.isTrue(byDefault.feeSponsorship.quoted.capHit)
      assert.isUndefined(byDefault.feeSponsorship.quoted.maxSubsidizationAmount)
      const raised = yield* sponsored({ maxSubsidizationAmount: "1000000" }, capped)
      assert.isFalse(raised.feeSponsorship.quoted.capHit)
    }))

  it.effect("sponsors what is selected and nothing else", () =>
    Effect.gen(function*() {
      const { feeSponsorship: { quoted } } = yield* sponsored({
        destinationCurrency: USDT.address,
        sponsoredFeeComponents: ["execution"]
      }, rich)
      assert.deepStrictEqual(quoted.selectedComponents, ["execution"])
      assert.strictEqual(quoted.sponsoredTotal.amount, quoted.components["execution"]?.total.amount)
      assert.strictEqual(quoted.components["execution"]?.userPays.amount, "0")
      assert.deepStrictEqual(
        ["swap", "service"].map((name) => quoted.components[name]?.userPays.amount),
        ["swap", "service"].map((name) => quoted.components[name]?.total.amount)
      )
      assert.isAbove(Number(quoted.components["service"]?.userPays.amount), 0)
    }))

  it.effect("never changes silently who pays: each refusal has its code and shape", () =>
    Effect.gen(function*() {
      const shapeA = ["docs", "errorCode", "errorData", "message", "requestId", "retryable", "statusCode"]
      const shapeB = ["docs", "errorCode", "message", "retryable", "statusCode"]
      const outcome = (
        { errorCode, members, status }: Effect.Success<ReturnType<typeof refused>>
      ) => [status, errorCode, members]
      assert.deepStrictEqual(outcome(yield* refused({})), [401, "UNAUTHORIZED", shapeB])
      assert.deepStrictEqual(outcome(yield* refused({}, { ...rich, id: "nobody" })), [401, "UNAUTHORIZED", shapeB])
      assert.deepStrictEqual(outcome(yield* refused({}, unlinked)), [400, "SPONSOR_WALLET_NOT_LINKED", shapeA])
      assert.deepStrictEqual(outcome(yield* refused({}, poor)), [400, "INSUFFICIENT_APP_BALANCE", shapeA])
      assert.deepStrictEqual(outcome(yield* refused({}, bounded)), [400, "SPONSOR_BUDGET_EXCEEDED", shapeA])
      assert.deepStrictEqual(outcome(yield* refused({ sponsoredFeeComponents: [] }, rich)), [
        400,
        "INVALID_REQUEST",
        shapeA
      ])
      assert.deepStrictEqual(outcome(yield* refused({ sponsoredFeeComponents: ["tips"] }, rich)), [
        400,
        "INVALID_REQUEST",
        shapeA
      ])
      assert.deepStrictEqual(outcome(yield* refused({ subsidizeFees: false, maxSubsidizationAmount: "1" }, rich)), [
        400,
        "INVALID_REQUEST",
        shapeA
      ])
      // Within its balance, the poor one sponsors.
      assert.strictEqual(
        (yield* sponsored({ maxSubsidizationAmount: "10" }, poor)).fees["subsidized"]?.amountUsd,
        "0.000010"
      )
    }))

  it.effect("an operator reads and changes a key's budget, which counts at once", () =>
    Effect.gen(function*() {
      const { url } = yield* Running
      const at = (id: string) => `${url}/api-keys/${id}/budgets`
      const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, "content-type": "application/json" }
      const change = (body: object, id = "rich") => get(at(id), { method: "PUT", headers, body: JSON.stringify(body) })
      const none = {
        total: null,
        perDay: null,
        perRecipientPerDay: null,
        laterPerAddressPerDay: null,
        defaultCap: null,
        spent: { total: "0", today: "0" }
      }
      assert.deepStrictEqual((yield* get(at("rich"), { headers })).json(), none)
      const changed = yield* change({
        total: "100",
        perRecipientPerDay: "20",
        laterPerAddressPerDay: "7",
        defaultCap: "19"
      })
      assert.deepStrictEqual(changed.json(), {
        ...none,
        total: "100",
        perRecipientPerDay: "20",
        laterPerAddressPerDay: "7",
        defaultCap: "19"
      })
      assert.strictEqual((yield* sponsored({}, rich)).fees["subsidized"]?.amountUsd, "0.000019")
      assert.deepStrictEqual(
        (yield* refused({ maxSubsidizationAmount: "21" }, rich)).errorCode,
        "SPONSOR_BUDGET_EXCEEDED"
      )
      assert.deepStrictEqual(
        (yield* change({ total: null, perRecipientPerDay: null, laterPerAddressPerDay: null, defaultCap: null }))
          .json(),
        none
      )
      assert.isFalse((yield* sponsored({}, rich)).feeSponsorship.quoted.capHit)
      assert.strictEqual((yield* change({ total: "-1" })).status, 400)
      assert.strictEqual((yield* change({ total: 1 })).status, 400)
      assert.strictEqual((yield* change({}, "nobody")).status, 404)
      assert.strictEqual((yield* get(at("rich"))).status, 401)
    }))

  it.effect("subsidizeRent alone sponsors nothing and needs no key", () =>
    Effect.gen(function*() {
      const answer = yield* ask({ subsidizeRent: true })
      assert.strictEqual(answer.status, 200, answer.text)
      assert.notProperty(answer.json(), "feeSponsorship")
      assert.nestedPropertyVal(answer.json(), "fees.subsidized.amount", "0")
    }))
})
