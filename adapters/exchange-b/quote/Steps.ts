/**
 * Orders with an exchange B origin as steps (EXCHANGEB-5): one transfer into the depository, which the user's client
 * signs and posts to the exchange itself.
 */
import { Effect, Layer } from "effect"
import { DepositUnfit, StepBuilder } from "../../../ports/chain/StepBuilder.ts"
import type { DepositIntent, NamedDeposit, PreparedDeposit } from "../../../ports/chain/StepBuilder.ts"
import { depositData, MOST_AMOUNT } from "../../../src/domain/families/exchange-b/steps/StepData.ts"
import type { Step } from "../../../src/domain/quote/wire/Step.ts"
import { DepositoryAccess } from "../DepositoryAccess.ts"
import { ExchangeBRpc } from "../rpc/ExchangeBRpc.ts"
import { readOrigin } from "./Origin.ts"

const depositStep = (
  { amount, currency, origin }: DepositIntent,
  fee: bigint,
  { checkEndpoint, orderId, requestId }: NamedDeposit
): Step => ({
  id: "deposit",
  action: "Confirm transaction in your wallet",
  description: `Deposit ${currency.symbol} on ${origin.name}`,
  kind: "transaction",
  requestId,
  items: [{
    status: "incomplete",
    data: depositData(origin, { currency, amount, fee, orderId }),
    check: { endpoint: checkEndpoint, method: "GET" }
  }]
})

export const layer = Layer.effect(
  StepBuilder,
  Effect.gen(function*() {
    const rpc = yield* ExchangeBRpc
    const access = yield* DepositoryAccess
    return StepBuilder.of({
      prepare: Effect.fn("StepBuilder.prepare")(function*(intent: DepositIntent) {
        const { amount, origin, way } = intent
        if (way._tag !== "Depository") {
          return yield* Effect.die(new Error(`no ${way._tag} on exchange B: it was to be refused before`))
        }
        if (amount > MOST_AMOUNT) {
          return yield* new DepositUnfit({ reason: { _tag: "AmountNotExact", most: MOST_AMOUNT } })
        }
        const { fee, userBalance } = yield* rpc.call(
          origin,
          "deposit",
          (client) => client.read(readOrigin(access, intent))
        )
        return {
          userBalance,
          gas: fee,
          steps: (named) => [depositStep(intent, fee, named)]
        } satisfies PreparedDeposit
      })
    })
  })
)
