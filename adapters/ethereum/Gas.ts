/** Cost of a payment on an EVM chain: gas of the real transaction, from the real payer, at the fee that would be offered. */
import { Effect, Layer } from "effect"
import { Gas } from "../../ports/Gas.ts"
import { EthereumRpc } from "./EthereumRpc.ts"
import { readFees } from "./Fees.ts"
import { paymentBody } from "./PaymentTransaction.ts"
import { SolverAccount } from "./SolverAccount.ts"
import { estimatePayment } from "./Treasury.ts"

export const layer = Layer.effect(
  Gas,
  Effect.gen(function*() {
    const rpc = yield* EthereumRpc
    const { account } = yield* SolverAccount

    return Gas.of({
      ofPayment: Effect.fnUntraced(function*(payment) {
        // The amount hardly moves the gas; the smallest one is estimated so that an empty wallet cannot fail a quote.
        const body = paymentBody({ ...payment, amount: 1n })
        const { fees, gas } = yield* rpc.call(payment.chain, "gas of a payment", async (client) => {
          const [gas, fees] = await Promise.all([estimatePayment(client, account.address, body), readFees(client)])
          return { gas, fees }
        })
        return typeof gas === "bigint" ? gas * fees.maxFeePerGas : yield* gas
      })
    })
  })
)
