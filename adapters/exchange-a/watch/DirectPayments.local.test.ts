/** The port `DirectPaymentWatcher` on a simulated exchange A: its contract, and which transfers carry out no send. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { DirectPaymentWatcher } from "../../../ports/chain/DirectPaymentWatcher.ts"
import { StepBuilder } from "../../../ports/chain/StepBuilder.ts"
import { FamilyFixture } from "../../../property-tests/family/FamilyFixture.ts"
import { namedSendContract } from "../../../property-tests/family/Quoting.ts"
import { Address } from "../../../src/domain/chain/Address.ts"
import { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { transferData } from "../../../src/domain/families/exchange-a/steps/StepData.ts"
import { neverGone } from "../../endpoints/testing/AbsentPayments.ts"
import { layer as layerSteps } from "../quote/Steps.ts"
import { accountOf, fixtureOf, startDepositingExchangeA } from "../testing/DepositingExchangeA.ts"
import type { DepositingExchangeA } from "../testing/DepositingExchangeA.ts"
import { layer as layerDirectPayments } from "./DirectPayments.ts"

const ORDER = Hex32.make(`0x${"5a".repeat(32)}`)
const [SECOND, HOUR] = [1_000, 3_600_000]
const stranger = Address.make(`0x${"77".repeat(20)}`)
/** Smallest units of USDC. */
const NEW_ACCOUNT = 100_000_000n

const portsOf = ({ layerRpc }: DepositingExchangeA) =>
  Layer.merge(layerDirectPayments, layerSteps).pipe(Layer.provide(layerRpc))

const onExchange = (
  body: (local: DepositingExchangeA) => Effect.Effect<void, unknown, DirectPaymentWatcher | StepBuilder>
) =>
() =>
  Effect.scoped(
    Effect.flatMap(startDepositingExchangeA(2, 1_000_000), (local) => Effect.provide(body(local), portsOf(local)))
  )

/** A transfer on perps, by the account of the wallet. */
const pay = ({ chain, native, transfer }: DepositingExchangeA, nonce: number, payee: Address = stranger) =>
  transfer(transferData(chain, payee, { currency: native, amount: 1_000_000n, tokenName: native.symbol, nonce }))

describe("DirectPaymentWatcher of exchange A", () => {
  for (const { check, name } of namedSendContract) {
    it.live(
      name,
      onExchange((local) => Effect.provideService(check, FamilyFixture, fixtureOf(local)))
    )
  }
})

describe("a transfer between users of exchange A", () => {
  it.live(
    "carries out a send once its mapping is kept, and is final once the exchange's clock is beyond it",
    onExchange((local) =>
      Effect.gen(function*() {
        const { book, chain, map, nextNonce } = local
        const sends = yield* DirectPaymentWatcher
        const nonce = nextNonce()
        const id = yield* pay(local, nonce)
        assert.isUndefined(yield* sends.look(chain, id))
        yield* map(ORDER, nonce)
        const first = yield* sends.look(chain, id)
        assert.deepInclude(first, { confirmations: 1, final: false })
        assert.strictEqual(first?.payment.orderId, ORDER)
        book.pass(SECOND)
        assert.deepInclude(yield* sends.look(chain, id), { confirmations: 1, final: true })
      })
    )
  )

  it.live(
    "carries out none whose mapping another wallet has signed, or that came after an hour, or into the depository",
    onExchange((local) =>
      Effect.gen(function*() {
        const { book, chain, map, nextNonce, other } = local
        const sends = yield* DirectPaymentWatcher
        const [forged, deposited, late] = [nextNonce(), nextNonce(), nextNonce()]
        yield* map(ORDER, forged, {}, other)
        yield* map(ORDER, deposited)
        const ids = [
          yield* pay(local, forged),
          yield* pay(local, deposited, chain.depository),
          yield* pay(local, late)
        ]
        book.pass(HOUR + SECOND)
        yield* map(ORDER, late)
        const found = yield* Effect.forEach(ids, (id) => sends.look(chain, id))
        assert.deepStrictEqual(found.map((each) => each?.payment.payments.length), [undefined, 0, undefined])
      })
    )
  )

  it.live(
    "is never gone because endpoints do not know it or are away, and final only by the quorum",
    onExchange((local) =>
      Effect.gen(function*() {
        const { book, map, nextNonce } = local
        const nonce = nextNonce()
        yield* map(ORDER, nonce)
        const id = yield* pay(local, nonce)
        book.pass(SECOND)
        const body = { type: "error", message: "Transaction not found" }
        yield* neverGone(local, id, { kind: "status", status: 200, body, questions: ["txDetails"] })
      })
    )
  )

  it.live(
    "costs its sender what the exchange takes for a new account, and nothing where the account exists",
    onExchange(({ chain, native, other, user }) =>
      Effect.gen(function*() {
        const steps = yield* StepBuilder
        const gasTo = (recipient: Address) =>
          Effect.map(
            steps.prepare({
              origin: chain,
              currency: native,
              amount: 1_000_000n,
              user: accountOf(user),
              way: { _tag: "Send", recipient }
            }),
            ({ gas }) => gas
          )
        assert.strictEqual(yield* gasTo(stranger), NEW_ACCOUNT)
        assert.strictEqual(yield* gasTo(accountOf(other)), 0n)
      })
    )
  )
})
