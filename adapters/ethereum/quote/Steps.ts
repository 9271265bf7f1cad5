/** Orders with an EVM origin as steps (STEP-2): missing approvals, then the transaction that names the order. */
import { addressCodec } from "../../../src/domain/families/index.ts"
import { Effect, Layer, Result } from "effect"
import { DepositRefused, StepBuilder } from "../../../ports/chain/StepBuilder.ts"
import type { DepositIntent, NamedDeposit, PreparedDeposit } from "../../../ports/chain/StepBuilder.ts"
import type { PermitTerms } from "../../../src/domain/permit/Permit.ts"
import { permitItem } from "../../../src/domain/permit/PermitItem.ts"
import { permitMessage } from "../../../src/domain/permit/PermitMessage.ts"
import type { PermitMessage } from "../../../src/domain/permit/PermitMessage.ts"
import type { Step, TransactionItem } from "../../../src/domain/quote/wire/Step.ts"
import { EthereumRpc } from "../rpc/EthereumRpc.ts"
import { addressOf, approveCall, depositCall } from "./DepositTransaction.ts"
import type { UserCall } from "./DepositTransaction.ts"
import { readOriginCosts } from "./OriginCosts.ts"
import type { OriginCosts } from "./OriginCosts.ts"
import { viemHex } from "../rpc/ViemHex.ts"

/** The deposit, and the order that it names. */
type DepositPlan = DepositIntent & NamedDeposit

const item = (plan: DepositPlan, costs: OriginCosts, call: UserCall, gas: bigint): TransactionItem => ({
  status: "incomplete",
  data: {
    from: plan.user,
    to: call.to,
    data: call.data,
    value: call.value.toString(),
    chainId: plan.origin.id,
    gas: gas.toString(),
    maxFeePerGas: costs.maxFeePerGas.toString(),
    maxPriorityFeePerGas: costs.maxPriorityFeePerGas.toString()
  }
})

/**
 * Without `check`: an approval cannot end a transfer, and clients wait for every check that they see
 * (docs/departures.md).
 */
const approveStep = (plan: DepositPlan, costs: OriginCosts): Step => ({
  id: "approve",
  action: "Confirm transaction in your wallet",
  description: `Approve ${plan.currency.symbol} on ${plan.origin.name}, exactly the amount of the ${
    plan.way._tag === "Swap" || plan.way._tag === "SwapDeposit" ? "swap" : "deposit"
  }`,
  kind: "transaction",
  requestId: plan.requestId,
  items: costs.approvals.map(({ amount, gasLimit }) => item(plan, costs, approveCall(plan, amount), gasLimit))
})

/** The message that the user signs. The submitter pays its gas, which is part of the fees. */
const authorizeStep = (plan: DepositPlan, terms: PermitTerms): Step => ({
  id: "authorize1",
  action: "Sign the authorization in your wallet",
  description: `Authorize the deposit of ${plan.currency.symbol} on ${plan.origin.name} by a signature`,
  kind: "signature",
  requestId: plan.requestId,
  items: [{
    status: "incomplete",
    data: permitItem(terms.kind, plan.requestId, messageOf(plan, terms)),
    check: { endpoint: plan.checkEndpoint, method: "GET" }
  }]
})

/** The parts were resolved as EVM accounts. */
const messageOf = ({ amount, currency, orderId, origin, user }: DepositPlan, terms: PermitTerms): PermitMessage =>
  Result.getOrThrow(
    Result.flatMap(
      addressCodec("ethereum-vm").parse(currency.address),
      (token) => permitMessage({ chainId: origin.id, owner: user, token, amount, orderId, terms })
    )
  )

const named = ({ _tag }: DepositPlan["way"]) =>
  _tag === "Send"
    ? ["send", "Send"] as const
    : _tag === "Swap"
    ? ["swap", "Swap"] as const
    : ["deposit", "Deposit"] as const

const payStep = (plan: DepositPlan, costs: OriginCosts, call: UserCall): Step => {
  const [id, verb] = named(plan.way)
  return {
    id,
    action: "Confirm transaction in your wallet",
    description: plan.way._tag === "SwapDeposit"
      ? `Swap ${plan.currency.symbol} for ${plan.way.output.symbol} on ${plan.origin.name}, and deposit that`
      : `${verb} ${plan.currency.symbol} on ${plan.origin.name}`,
    kind: "transaction",
    requestId: plan.requestId,
    ...(plan.way._tag === "Address" ? { depositAddress: addressOf(plan.way, viemHex(plan.orderId)) } : {}),
    items: [{
      ...item(plan, costs, call, costs.gasLimit),
      check: { endpoint: plan.checkEndpoint, method: "GET" }
    }]
  }
}

const stepsOf = (plan: DepositPlan, costs: OriginCosts): ReadonlyArray<Step> => {
  const approvals = costs.approvals.length === 0 ? [] : [approveStep(plan, costs)]
  if (plan.way._tag === "Permit") return [...approvals, authorizeStep(plan, plan.way.terms)]
  const call = depositCall(plan, viemHex(plan.orderId))
  return call === undefined ? approvals : [...approvals, payStep(plan, costs, call)]
}

export const layer = Layer.effect(
  StepBuilder,
  Effect.gen(function*() {
    const rpc = yield* EthereumRpc

    const prepare = Effect.fnUntraced(function*(intent: DepositIntent) {
      const read = yield* rpc.call(intent.origin, "deposit costs", (client) => readOriginCosts(client, intent))
      if (read instanceof DepositRefused) return yield* read
      const approvalGas = read.approvals.reduce((sum, { gasLimit }) => sum + gasLimit, 0n)
      return {
        userBalance: read.userBalance,
        gas: (read.gasLimit + approvalGas) * read.maxFeePerGas + read.l1Fee,
        repeatable: intent.currency.isNative,
        steps: (named) => stepsOf({ ...intent, ...named }, read)
      } satisfies PreparedDeposit
    })

    return StepBuilder.of({ prepare })
  })
)
