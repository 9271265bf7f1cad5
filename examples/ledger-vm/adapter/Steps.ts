/**
 * The port `StepBuilder`: one transfer for the user to sign, with the order's id as its memo. It pays the depository,
 * or for a payment within one chain and currency the recipient. A deposit address is paid without a memo. The wallet
 * adds the user's next sequence and signs.
 */
import { Effect, Layer } from "effect"
import { type DepositIntent, type NamedDeposit, StepBuilder } from "causeway-kit/ports"
import type { Step } from "causeway-kit"
import { family } from "../rules/LedgerAddresses.ts"
import { ask, LedgerRpc } from "./LedgerNode.ts"

const stepOf = (
  { amount, currency, origin, user, way }: DepositIntent,
  fee: bigint,
  { checkEndpoint, depositAddress, orderId, requestId }: NamedDeposit
): Step => ({
  id: way._tag === "Send" ? "send" : "deposit",
  action: "Confirm transfer in your wallet",
  description: `${way._tag === "Send" ? "Send" : "Deposit"} ${currency.symbol} on ${origin.name}`,
  kind: "transaction",
  requestId,
  ...(depositAddress === undefined ? {} : { depositAddress }),
  items: [{
    status: "incomplete",
    data: {
      vmType: family,
      transaction: {
        ledger: origin.genesisHash ?? "",
        sender: user,
        recipient: depositAddress ?? (way._tag === "Send" ? way.recipient : origin.depository),
        currency: currency.address,
        amount: `${amount}`,
        fee: `${fee}`,
        memo: depositAddress === undefined ? orderId : ""
      }
    },
    check: { endpoint: checkEndpoint, method: "GET" }
  }]
})

export const layer = Layer.effect(
  StepBuilder,
  Effect.gen(function*() {
    const rpc = yield* LedgerRpc
    return StepBuilder.of({
      prepare: Effect.fnUntraced(function*(intent: DepositIntent) {
        const { currency, origin, user, way } = intent
        if (way._tag !== "Depository" && way._tag !== "Send" && way._tag !== "Address") {
          return yield* Effect.die(new Error(`no ${way._tag} on a ledger: it was to be refused before`))
        }
        const [{ fee }, { balances }] = yield* rpc.call(
          origin,
          "deposit costs",
          (client) => Promise.all([client.get(ask.ledger), client.get(ask.account(user))])
        )
        return {
          userBalance: balances[currency.address] ?? 0n,
          gas: fee,
          steps: (named: NamedDeposit) => [stepOf(intent, fee, named)]
        }
      })
    })
  })
)
