/**
 * Orders with an exchange A origin as steps (EXCHANGEA-8): the user signs which order the nonce is for, then the
 * transfer with that nonce, which its client posts to the exchange itself.
 */
import { Effect, Layer } from "effect"
import { StepBuilder } from "../../../ports/chain/StepBuilder.ts"
import type { DepositIntent, NamedDeposit, PreparedDeposit } from "../../../ports/chain/StepBuilder.ts"
import { assetOf } from "../../../src/domain/families/exchange-a/payment/Asset.ts"
import { depositData, mappingData } from "../../../src/domain/families/exchange-a/steps/StepData.ts"
import type { ExchangeAPayment } from "../../../src/domain/families/exchange-a/steps/StepData.ts"
import { payableFloor } from "../../../src/domain/money/Currency.ts"
import type { Step } from "../../../src/domain/quote/wire/Step.ts"
import { readTokens } from "../observe/ReadTokens.ts"
import { ExchangeARpc } from "../rpc/ExchangeARpc.ts"
import type { ExchangeARead } from "../rpc/ExchangeARpc.ts"
import { readTransferable } from "./Balance.ts"
import { NonceClock } from "./NonceClock.ts"

/** The token's name, and what the user has of it. */
const readOrigin = ({ currency, user }: DepositIntent): ExchangeARead<{ tokenName: string; userBalance: bigint }> =>
  Effect.fnUntraced(function*(client, deadline) {
    const { byId } = yield* readTokens(client, deadline)
    const tokenName = byId.get(assetOf(currency.address).tokenId)?.name
    // The configuration was checked against this list: the endpoint is of another network, or has no list.
    if (tokenName === undefined) return yield* Effect.fail("contradiction" as const)
    return { tokenName, userBalance: yield* readTransferable(client, user, currency, tokenName, deadline) }
  })

/** Without `check`: clients wait for every check that they see, and the deposit comes after it. */
const authorizeStep = ({ origin, user }: DepositIntent, nonce: number, { orderId, requestId }: NamedDeposit): Step => ({
  id: "authorize",
  action: "Sign in your wallet",
  description: `Sign which order the transfer on ${origin.name} is for`,
  kind: "signature",
  requestId,
  items: [{ status: "incomplete", data: mappingData(origin, user, orderId, nonce) }]
})

const depositStep = (
  { currency, origin }: DepositIntent,
  payment: ExchangeAPayment,
  { checkEndpoint, requestId }: NamedDeposit
): Step => ({
  id: "deposit",
  action: "Confirm transaction in your wallet",
  description: `Deposit ${currency.symbol} on ${origin.name}`,
  kind: "transaction",
  requestId,
  items: [{
    status: "incomplete",
    data: depositData(origin, payment),
    check: { endpoint: checkEndpoint, method: "GET" }
  }]
})

export const layer = Layer.effect(
  StepBuilder,
  Effect.gen(function*() {
    const rpc = yield* ExchangeARpc
    const nonces = new NonceClock()
    return StepBuilder.of({
      prepare: Effect.fn("StepBuilder.prepare")(function*(intent: DepositIntent) {
        const { amount, currency, origin, way } = intent
        if (way._tag !== "Depository") {
          return yield* Effect.die(new Error(`no ${way._tag} on exchange A: it was to be refused before`))
        }
        if (amount !== payableFloor(amount, currency)) {
          return yield* Effect.die(new Error("no exact amount of exchange A: it was to be rounded before"))
        }
        const { tokenName, userBalance } = yield* rpc.call(
          origin,
          "deposit",
          (client) => client.read(readOrigin(intent))
        )
        const nonce = yield* nonces.next
        return {
          userBalance,
          gas: 0n,
          steps: (named) => [
            authorizeStep(intent, nonce, named),
            depositStep(intent, { currency, amount, tokenName, nonce }, named)
          ]
        } satisfies PreparedDeposit
      })
    })
  })
)
