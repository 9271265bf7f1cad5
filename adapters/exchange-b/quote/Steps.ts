/**
 * Orders with an exchange B origin as steps (EXCHANGEB-5): one transfer into the depository, or of a send to its
 * recipient, which the user's client signs and posts to the exchange itself.
 */
import { Effect, Layer } from "effect"
import { DepositUnfit, StepBuilder } from "../../../ports/chain/StepBuilder.ts"
import type { DepositIntent, NamedDeposit, PreparedDeposit } from "../../../ports/chain/StepBuilder.ts"
import { MOST_AMOUNT, transferData } from "../../../src/domain/families/exchange-b/steps/StepData.ts"
import type { Step } from "../../../src/domain/quote/wire/Step.ts"
import { DepositoryAccess } from "../DepositoryAccess.ts"
import { forStrangers } from "../../endpoints/AskedFor.ts"
import { ExchangeBRpc } from "../rpc/ExchangeBRpc.ts"
import { readOrigin } from "./Origin.ts"

const payStep = (
  { amount, currency, origin, way }: DepositIntent,
  fee: bigint,
  { checkEndpoint, orderId, requestId }: NamedDeposit
): Step => ({
  id: way._tag === "Send" ? "send" : "deposit",
  action: "Confirm transaction in your wallet",
  description: `${way._tag === "Send" ? "Send" : "Deposit"} ${currency.symbol} on ${origin.name}`,
  kind: "transaction",
  requestId,
  items: [{
    status: "incomplete",
    data: transferData(way._tag === "Send" ? way.recipient : origin.depository, { currency, amount, fee, orderId }),
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
        if (way._tag !== "Depository" && way._tag !== "Send") {
          return yield* Effect.die(new Error(`no ${way._tag} on exchange B: it was to be refused before`))
        }
        if (amount > MOST_AMOUNT) {
          return yield* new DepositUnfit({ reason: { _tag: "AmountNotExact", most: MOST_AMOUNT } })
        }
        const { canPay, fee, least, userBalance } = yield* rpc.call(
          origin,
          "deposit",
          (client) => client.read(forStrangers(readOrigin(access, intent)))
        )
        if (!canPay) return yield* new DepositUnfit({ reason: { _tag: "NobodyPaysRecipient" } })
        if (amount < least) return yield* new DepositUnfit({ reason: { _tag: "BelowLeast", least } })
        return {
          userBalance,
          gas: fee,
          steps: (named) => [payStep(intent, fee, named)]
        } satisfies PreparedDeposit
      })
    })
  })
)
