/** Runs a request to its end where the quote alone does not show a parameter's effect. */
import { assert } from "@effect/vitest"
import { Clock, Effect, Result, Schema } from "effect"
import { Address } from "../../../../../src/domain/chain/Address.ts"
import { computeDepositAddress } from "../../../../../src/domain/deposit-address/DepositAddress.ts"
import { OrderId } from "../../../../../src/domain/order/Order.ts"
import type { Anvil } from "../../../../localnet/nodes/ethereum/Anvil.ts"
import { depositFactory } from "../../../../localnet/nodes/ethereum/DepositFactory.ts"
import { ended, execute, postQuote, quote, QuoteAnswer, reader, sendDeposit } from "../../../testing/Client.ts"
import { get } from "../../../testing/Get.ts"
import { moveMarket } from "../../../testing/MoveMarket.ts"
import { USDC } from "../../../testing/Tokens.ts"
import type { Members } from "./Observe.ts"
import type { Ask } from "./Ask.ts"
import type { Fixture } from "./Fixture.ts"

const HexText = Schema.TemplateLiteral(["0x", Schema.String])

type Journey = (fixture: Fixture, asked: Ask, headers: Readonly<Record<string, string>>) => Effect.Effect<Members>

/** The index of the user who pays, and who is `user` in the question. */
export const PAYER = 3

const DAY = 86_400

const nativeOf = (anvil: Anvil, account: string) =>
  Effect.promise(() => reader(anvil).getBalance({ address: Schema.decodeUnknownSync(HexText)(account) }))

const payAndEnd = Effect.fnUntraced(function*(fixture: Fixture, quoted: QuoteAnswer) {
  yield* execute(fixture.chains.alpha, fixture.key(PAYER), quoted)
  const { failReason, status } = yield* ended(fixture.url, quoted)
  return new Map([["status", status], ["failReason", failReason]])
})

/** Paid when the quote is older than two seconds, by the chain's clock. */
export const afterSeconds: Journey = Effect.fnUntraced(function*(fixture, asked) {
  const quoted = yield* quote(fixture.url, asked)
  yield* Effect.sleep("2500 millis")
  return yield* payAndEnd(fixture, quoted)
})

/** Paid a day after the order can no longer be filled. The chain's clock never goes back, so this row is the last. */
export const afterTheDeadline: Journey = Effect.fnUntraced(function*(fixture, asked) {
  const { chains: { alpha }, url } = fixture
  const quoted = yield* quote(url, asked)
  const now = (yield* Clock.currentTimeMillis) / 1000
  const { timestamp } = yield* Effect.promise(() => reader(alpha).getBlock())
  // Each of the two questions starts with the chain's clock where the first left it.
  if (Number(timestamp) < now + DAY) {
    yield* Effect.orDie(Effect.andThen(alpha.request("evm_increaseTime", [8 * DAY]), alpha.mine()))
  }
  return yield* payAndEnd(fixture, quoted)
})

/** Native currency, and more than the quoted amount. Shows how much is delivered. */
export const overpaid: Journey = Effect.fnUntraced(function*(fixture, asked) {
  const { chains: { alpha, beta }, url } = fixture
  const quoted = yield* quote(url, asked)
  const recipient = String(asked["recipient"])
  const before = yield* nativeOf(beta, recipient)
  yield* sendDeposit(alpha, fixture.key(PAYER), quoted, BigInt(quoted.details.currencyIn.amount) * 2n)
  assert.strictEqual((yield* ended(url, quoted)).status, "success")
  const arrived = (yield* nativeOf(beta, recipient)) - before
  return new Map([["arrived", arrived === BigInt(quoted.details.currencyOut.amount) ? "as quoted" : "more"]])
})

const Addressed = Schema.Struct({
  steps: Schema.Array(Schema.Struct({ depositAddress: Address })),
  protocol: Schema.Struct({ v2: Schema.Struct({ orderId: OrderId }) })
})

/** The owner of the deposit address: the address follows from the order's id and this depositor. */
export const depositorOf: Journey = Effect.fnUntraced(function*(fixture, asked, headers) {
  const { protocol, steps } = Schema.decodeUnknownSync(Addressed)(
    (yield* postQuote(fixture.url, asked, headers)).json()
  )
  const isOf = (depositor: unknown) =>
    steps[0]?.depositAddress === Result.getOrThrow(computeDepositAddress({
      factory: Address.make(depositFactory.toLowerCase()),
      orderId: protocol.v2.orderId,
      depositor: Address.make(String(depositor).toLowerCase())
    }))
  const owner = ["user", "recoveryAddress"].find((name) => isOf(asked[name]))
  return new Map([["steps[].depositAddress is made for", owner ?? "nobody"]])
})

const Kind = Schema.Struct({ type: Schema.String })

/** The kind of the deposit address, from its record. */
export const addressMode: Journey = Effect.fnUntraced(function*({ url }, asked, headers) {
  const { steps } = Schema.decodeUnknownSync(QuoteAnswer)((yield* postQuote(url, asked, headers)).json())
  const record = Schema.decodeUnknownSync(Kind)(
    (yield* get(`${url}/deposit-addresses?requestId=${steps[0]?.requestId ?? ""}`)).json()
  )
  return new Map([["GET /deposit-addresses: type", record.type]])
})

const Routed = Schema.Struct({
  details: Schema.Struct({ route: Schema.Struct({ origin: Schema.Struct({ router: Schema.String }) }) })
})

/** Networks whose preferred swap source is now slightly worse than the other one. */
const moved = new WeakSet<Fixture>()

/** Which source swaps when the preferred one gives slightly less. */
export const preference: Journey = Effect.fnUntraced(function*(fixture, asked, headers) {
  if (!moved.has(fixture)) {
    yield* moveMarket(fixture.chains.alpha, fixture.key(PAYER), "uniswap-v3", USDC.address, 38n * 10n ** 18n)
  }
  moved.add(fixture)
  const { details } = Schema.decodeUnknownSync(Routed)((yield* postQuote(fixture.url, asked, headers)).json())
  return new Map([["details.route.origin.router", details.route.origin.router]])
})
