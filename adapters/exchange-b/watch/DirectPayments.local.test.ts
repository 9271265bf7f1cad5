/** The port `DirectPaymentWatcher` on a simulated exchange B: its contract, and which transfers carry out no send. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { EXECUTED, REJECTED } from "../../../hosts/localnet/nodes/exchange-b/node/State.ts"
import { DirectPaymentWatcher } from "../../../ports/chain/DirectPaymentWatcher.ts"
import { StepBuilder } from "../../../ports/chain/StepBuilder.ts"
import { FamilyFixture } from "../../../property-tests/family/FamilyFixture.ts"
import { namedSendContract } from "../../../property-tests/family/Quoting.ts"
import { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { asAddress } from "../../../src/domain/families/AddressCodec.ts"
import { neverGone } from "../../endpoints/testing/AbsentPayments.ts"
import { layer as layerSteps } from "../quote/Steps.ts"
import { fixtureOf, startDepositingExchangeB } from "../testing/DepositingExchangeB.ts"
import type { DepositingExchangeB } from "../testing/DepositingExchangeB.ts"
import { layer as layerDirectPayments } from "./DirectPayments.ts"

const ORDER = Hex32.make(`0x${"5a".repeat(32)}`)
const SECOND = 1_000

const portsOf = ({ layerRpc }: DepositingExchangeB) =>
  Layer.merge(layerDirectPayments, layerSteps).pipe(Layer.provide(layerRpc))

const onExchange = (
  body: (local: DepositingExchangeB) => Effect.Effect<void, unknown, DirectPaymentWatcher | StepBuilder>
) =>
() =>
  Effect.scoped(
    Effect.flatMap(startDepositingExchangeB(2, 1_000_000), (local) => Effect.provide(body(local), portsOf(local)))
  )

describe("DirectPaymentWatcher of exchange B", () => {
  for (const { check, name } of namedSendContract) {
    it.live(
      name,
      onExchange((local) => Effect.provideService(check, FamilyFixture, fixtureOf(local)))
    )
  }
})

describe("a transfer between users of exchange B", () => {
  it.live(
    "carries out a send once it is executed, and is final once the exchange's clock is beyond it",
    onExchange(({ OTHER, chain, send, state }) =>
      Effect.gen(function*() {
        const sends = yield* DirectPaymentWatcher
        state.held = true
        const [paid, refused] = [yield* send(1_000, ORDER, { to: OTHER }), yield* send(1_000, ORDER, { to: OTHER })]
        for (const id of [paid, refused]) assert.isUndefined(yield* sends.look(chain, id))
        state.settle(paid, EXECUTED)
        state.settle(refused, REJECTED)
        assert.isUndefined(yield* sends.look(chain, refused))
        const first = yield* sends.look(chain, paid)
        assert.deepInclude(first, { confirmations: 1, final: false })
        assert.strictEqual(first?.payment.orderId, ORDER)
        state.offset += SECOND
        assert.deepInclude(yield* sends.look(chain, paid), { confirmations: 1, final: true })
      })
    )
  )

  it.live(
    "carries out none without the owner's signature over its memo, or into the depository",
    onExchange(({ DEPOSITORY, chain, send, state }) =>
      Effect.gen(function*() {
        const sends = yield* DirectPaymentWatcher
        // Within one owner the exchange asks for no signature.
        const [from, to] = [2_000, 2_001]
        for (const index of [from, to]) state.open(index, state.owners.get(DEPOSITORY) ?? "")
        state.credit(from, 3, 0, 10_000)
        const unsigned = yield* send(1_000, ORDER, { from, to, signed: false })
        const deposited = yield* send(1_000, ORDER)
        const unnamed = yield* send(1_000, Hex32.make(`0x${"61".repeat(20)}${"00".repeat(12)}`), { to })
        state.offset += SECOND
        for (const id of [unsigned, deposited, unnamed]) assert.isUndefined(yield* sends.look(chain, id))
      })
    )
  )

  it.live(
    "is never gone because endpoints do not know it or are away, and final only by the quorum",
    onExchange((local) =>
      Effect.gen(function*() {
        const { OTHER, send, state } = local
        const id = yield* send(1_000, ORDER, { to: OTHER })
        state.offset += SECOND
        const body = { code: 21_500, message: "transaction not found" }
        yield* neverGone(local, id, { kind: "status", status: 400, body, questions: ["tx"] })
      })
    )
  )

  it.live(
    "is not asked for to an account that does not exist",
    onExchange(({ USER, chain, native }) =>
      Effect.gen(function*() {
        const unfit = yield* Effect.flip((yield* StepBuilder).prepare({
          origin: chain,
          currency: native,
          amount: 1_000n,
          user: asAddress(`${USER}`),
          way: { _tag: "Send", recipient: asAddress("99999") }
        }))
        assert.isTrue(unfit._tag === "DepositUnfit" && unfit.reason._tag === "NobodyPaysRecipient")
      })
    )
  )
})
