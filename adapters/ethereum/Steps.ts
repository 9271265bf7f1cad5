/** Orders of an EVM origin as steps (spec/3 §3): a call of the depository that names the order. */
import { Effect, Layer } from "effect"
import { encodeFunctionData } from "viem"
import { abi as depositoryAbi } from "./contracts/abi/Depository.ts"
import { StepBuilder } from "../../ports/StepBuilder.ts"
import type { DepositPlan, OriginCosts } from "../../ports/StepBuilder.ts"
import type { Step } from "../../src/domain/quote/wire/Step.ts"
import { EthereumRpc } from "./EthereumRpc.ts"
import { readFees, withMargin } from "./Fees.ts"
import { viemHex } from "./ViemHex.ts"

/** An id like any other, for estimating before the order exists: all bytes set, so that calldata costs at most this. */
const ESTIMATE_ID = `0x${"ff".repeat(32)}` as const

const depositCall = (user: string, id: `0x${string}`) =>
  encodeFunctionData({ abi: depositoryAbi, functionName: "depositNative", args: [viemHex(user), id] })

export const layer = Layer.effect(
  StepBuilder,
  Effect.gen(function*() {
    const rpc = yield* EthereumRpc

    const originCosts = ({ amount, origin, user }: Pick<DepositPlan, "origin" | "currency" | "amount" | "user">) =>
      rpc.call(origin, "deposit costs", async (client) => {
        const account = viemHex(user)
        const [userBalance, fees, gas] = await Promise.all([
          client.getBalance({ address: account }),
          readFees(client),
          client.estimateGas({
            account,
            to: viemHex(origin.depository),
            data: depositCall(user, ESTIMATE_ID),
            value: amount,
            // The deposit costs the same whoever has the money: an empty wallet can ask for a quote too.
            stateOverride: [{ address: account, balance: amount + 10n ** 24n }]
          })
        ])
        return { userBalance, gasLimit: withMargin(gas), ...fees } satisfies OriginCosts
      })

    const depositSteps = (plan: DepositPlan, costs: OriginCosts): ReadonlyArray<Step> => [{
      id: "deposit",
      action: "Confirm transaction in your wallet",
      description: `Deposit ${plan.currency.symbol} on ${plan.origin.name}`,
      kind: "transaction",
      requestId: plan.requestId,
      items: [{
        status: "incomplete",
        data: {
          from: plan.user,
          to: plan.origin.depository,
          data: depositCall(plan.user, viemHex(plan.orderId)),
          value: plan.amount.toString(),
          chainId: plan.origin.id,
          gas: costs.gasLimit.toString(),
          maxFeePerGas: costs.maxFeePerGas.toString(),
          maxPriorityFeePerGas: costs.maxPriorityFeePerGas.toString()
        },
        check: { endpoint: plan.checkEndpoint, method: "GET" }
      }]
    }]

    return StepBuilder.of({ originCosts, depositSteps })
  })
)
