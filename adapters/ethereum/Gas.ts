/** Cost of a payment on an EVM chain: gas of the real transaction, from the real payer, at the fee that would be offered. */
import { Effect, Layer } from "effect"
import { Gas } from "../../ports/Gas.ts"
import { EthereumRpc } from "./EthereumRpc.ts"
import { readFees, withMargin } from "./Fees.ts"
import { paymentBody } from "./PaymentTransaction.ts"
import { SolverAccount } from "./SolverAccount.ts"

export const layer = Layer.effect(
  Gas,
  Effect.gen(function*() {
    const rpc = yield* EthereumRpc
    const { account } = yield* SolverAccount

    return Gas.of({
      ofPayment: (payment) =>
        rpc.call(payment.chain, "gas of a payment", async (client) => {
          // The amount hardly moves the gas; the smallest one is estimated so that an empty wallet cannot fail a quote.
          const body = paymentBody({ ...payment, amount: 1n })
          const [gas, fees] = await Promise.all([
            client.estimateGas({ account: account.address, ...body }),
            readFees(client)
          ])
          return withMargin(gas) * fees.maxFeePerGas
        })
    })
  })
)
