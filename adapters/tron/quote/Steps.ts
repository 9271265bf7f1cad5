/**
 * Orders with a Tron origin as steps (TRON-5): missing approvals, then the transaction that names the order. A deposit
 * address is paid by one plain transfer (TRON-20).
 */
import { Effect, Layer, Result } from "effect"
import { DepositRefused, DepositUnfit, StepBuilder } from "../../../ports/chain/StepBuilder.ts"
import type { DepositIntent, NamedDeposit, PreparedDeposit } from "../../../ports/chain/StepBuilder.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import { approvalData, depositData, MOST_NATIVE, sendData } from "../../../src/domain/families/tron/steps/StepData.ts"
import type { Step } from "../../../src/domain/quote/wire/Step.ts"
import { TronPrices } from "../cost/TronPrices.ts"
import { TronRpc } from "../rpc/TronRpc.ts"
import { readOriginCosts } from "./OriginCosts.ts"

/** Without `check`: an approval cannot end a transfer, and clients wait for every check that they see. */
const approveStep = (intent: DepositIntent, approvals: ReadonlyArray<bigint>, { requestId }: NamedDeposit): Step => ({
  id: "approve",
  action: "Confirm transaction in your wallet",
  description: `Approve ${intent.currency.symbol} on ${intent.origin.name}, exactly the amount of the deposit`,
  kind: "transaction",
  requestId,
  items: approvals.map((units) => ({
    status: "incomplete",
    data: Result.getOrThrow(approvalData(intent, intent.origin, units))
  }))
})

/** The deposit address that the steps pay. */
const addressOf = ({ way }: DepositIntent, { depositAddress }: NamedDeposit): Address | undefined =>
  way._tag === "Address" ? way.address ?? depositAddress : undefined

/** Preparing has tried the same with another id. */
const dataOf = (intent: DepositIntent, named: NamedDeposit) => {
  const { origin, way } = intent
  const { orderId } = named
  if (way._tag === "Send") return Result.getOrThrow(sendData(intent, way.recipient, orderId))
  if (way._tag !== "Address") return Result.getOrThrow(depositData(intent, origin, orderId))
  const address = addressOf(intent, named)
  if (address === undefined) throw new Error("a deposit by an address has none")
  return Result.getOrThrow(sendData(intent, address, undefined))
}

const payStep = (intent: DepositIntent, named: NamedDeposit): Step => {
  const { checkEndpoint, requestId } = named
  const depositAddress = addressOf(intent, named)
  const [id, verb] = intent.way._tag === "Send" ? ["send", "Send"] as const : ["deposit", "Deposit"] as const
  return {
    id,
    action: "Confirm transaction in your wallet",
    description: `${verb} ${intent.currency.symbol} on ${intent.origin.name}`,
    kind: "transaction",
    requestId,
    ...(depositAddress === undefined ? {} : { depositAddress }),
    items: [{
      status: "incomplete",
      data: dataOf(intent, named),
      check: { endpoint: checkEndpoint, method: "GET" }
    }]
  }
}

export const layer = Layer.effect(
  StepBuilder,
  Effect.gen(function*() {
    const rpc = yield* TronRpc
    const prices = yield* TronPrices
    return StepBuilder.of({
      prepare: Effect.fn("StepBuilder.prepare")(function*(intent: DepositIntent) {
        const { amount, currency, origin, way } = intent
        if (way._tag !== "Depository" && way._tag !== "Send" && way._tag !== "Address") {
          return yield* Effect.die(new Error(`no ${way._tag} on a Tron chain: it was to be refused before`))
        }
        if (currency.isNative && amount > MOST_NATIVE) {
          return yield* new DepositUnfit({ reason: { _tag: "AmountNotExact", most: MOST_NATIVE } })
        }
        const now = yield* prices.of(origin)
        const reading = readOriginCosts(intent, now)
        // What a token allows is read each time: its approval changes the steps.
        const costs = yield* rpc.call(
          origin,
          "deposit costs",
          ({ read, readRecent }) => currency.isNative ? readRecent(reading) : read(reading)
        )
        if (costs instanceof DepositRefused || costs instanceof DepositUnfit) return yield* costs
        const { approvals, cost, userBalance } = costs
        return {
          userBalance,
          gas: cost,
          repeatable: currency.isNative,
          steps: (named) => [
            ...(approvals.length === 0 ? [] : [approveStep(intent, approvals, named)]),
            payStep(intent, named)
          ]
        } satisfies PreparedDeposit
      })
    })
  })
)
