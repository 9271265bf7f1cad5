/** What the laws read of the simulated Tron chain: deposits and payments, as its blocks show them. */
import { accountOfTron } from "../../../src/domain/families/tron/TronAddresses.ts"
import { paidOrderIn } from "../../../src/domain/families/tron/payment/SentPayment.ts"
import { Result } from "effect"
import type { ChainView, ShownTransfer } from "../ChainView.ts"
import { chainIds, halfMicros, tron } from "../Terms.ts"
import { accounts, contract, depository, funder, solver, spelled } from "./Terms.ts"
import type { TronChain } from "./TronChain.ts"
import { headOf } from "./TronLedger.ts"
import type { Executed } from "./TronLedger.ts"

/** A payment of the solver, a refill, or a call of the depository. Nothing for a user's other transactions. */
const transferIn = (
  { sent: { transaction } }: Executed
): Pick<ShownTransfer, "sender" | "recipient" | "amount" | "memo"> | undefined => {
  const { act } = transaction
  if (act._tag === "Other") return undefined
  const sender = spelled(act.owner)
  if (act._tag === "Trigger") {
    return act.contract === contract
      ? { sender, recipient: depository, amount: act.value, memo: `0x${act.input.slice(74)}` }
      : undefined
  }
  const recipient = spelled(act.to)
  if (sender === funder.address) return { sender, recipient, amount: act.amount, memo: "" }
  if (sender !== solver.address) return undefined
  return { sender, recipient, amount: act.amount, memo: paidOrderIn(transaction)?.orderId ?? "" }
}

export const tronView = (chain: TronChain): ChainView => ({
  slug: "tron",
  chainId: chainIds.tron,
  parties: {
    solver: solver.address,
    depository,
    funder: funder.address,
    accounts: accounts.map(({ address }) => address)
  },
  shown: () =>
    chain.state().blocks.flatMap(({ executed, time }) =>
      executed.flatMap((each) => {
        const moved = transferIn(each)
        return moved === undefined ? [] : [{
          ...moved,
          slug: "tron" as const,
          id: each.sent.id,
          time: Math.floor(time / 1_000),
          succeeded: each.result === "SUCCESS",
          currency: tron
        }]
      })
    ),
  feesOf: (account) =>
    chain.state().blocks.flatMap(({ executed }) => executed).reduce(
      (sum, { fee, sent: { transaction: { owner } } }) =>
        owner !== undefined && spelled(owner) === account ? sum + fee : sum,
      0n
    ) * halfMicros(tron),
  worth: (account) => {
    const evm = accountOfTron(account)
    return Result.isFailure(evm) ? 0n : (headOf(chain.state()).balances.get(evm.success) ?? 0n) * halfMicros(tron)
  }
})
