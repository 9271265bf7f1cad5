/** What the laws read of the simulated Tron chain: deposits and payments, as its blocks show them. */
import { accountOfTron } from "../../../src/domain/families/tron/TronAddresses.ts"
import { paidOrderIn } from "../../../src/domain/families/tron/payment/SentPayment.ts"
import { Result } from "effect"
import type { ChainView, ShownTransfer } from "../ChainView.ts"
import { keptBy, keptByText } from "../Kept.ts"
import { chainIds, halfMicros, tron } from "../Terms.ts"
import { topics } from "../../../src/domain/families/ethereum/evidence/Events.ts"
import { holding, tokens } from "./Contracts.ts"
import { dearestReturn } from "./FeeLaws.ts"
import { fundingIn } from "./Funding.ts"
import { accounts, contract, depository, funder, keeper, solver, spelled } from "./Terms.ts"
import type { TronChain } from "./TronChain.ts"
import { headOf } from "./TronLedger.ts"
import type { Executed } from "./TronLedger.ts"

type Moved = Pick<ShownTransfer, "sender" | "recipient" | "amount" | "currency" | "memo" | "succeeded">

const accountOfWord = (digits = ""): string => `0x${digits.slice(-40)}`

/** What a token has moved, by its own logs. */
const movedBy = (
  { logs, sent: { transaction: { act } } }: Executed
): ReadonlyArray<Omit<Moved, "memo" | "succeeded">> =>
  logs.flatMap(({ address, data, topics: [event, from, to] }) =>
    event !== topics.transfer || act._tag !== "Trigger" ? [] : [{
      sender: spelled(accountOfWord(from)),
      recipient: spelled(accountOfWord(to)),
      amount: BigInt(data),
      currency: spelled(address)
    }]
  )

/**
 * A token's call: what it moved, or, where it moved nothing, what it was to move. `named`: by an event of the depository.
 * The id behind a transfer counts only with its whole amount (TRON-1).
 */
const tokenMoves = (executed: Executed, named?: string): ReadonlyArray<Moved> => {
  const { owner } = executed.sent.transaction
  const meant = paidOrderIn(executed.sent.transaction)
  const moved = movedBy(executed).filter(({ recipient }) => recipient !== spelled(keeper))
  if (moved.length > 0) {
    return moved.map((each) => ({
      ...each,
      memo: named ?? (meant?.amount === each.amount ? meant.orderId : ""),
      succeeded: true
    }))
  }
  return owner === undefined || meant === undefined ? [] : [{
    sender: spelled(owner),
    recipient: spelled(meant.recipient),
    amount: meant.amount,
    currency: spelled(meant.currency),
    memo: meant.orderId,
    succeeded: false
  }]
}

/**
 * Payments of the solver, refills, deposits, sweeps among them, and what is paid to deposit addresses. Not the TRX that
 * the solver sends there for a sweep: they are a cost. A call that succeeded and moved nothing has paid nothing.
 */
const transfersIn = keptBy((executed: Executed): ReadonlyArray<Moved> => {
  const { result, sent: { transaction } } = executed
  const { act } = transaction
  const succeeded = result === "SUCCESS"
  if (act._tag === "Other") return []
  const sender = spelled(act.owner)
  if (act._tag === "Trigger") {
    if (act.contract !== contract) return tokenMoves(executed)
    const memo = `0x${act.input.slice(-64)}`
    return act.value > 0n
      ? [{ sender, recipient: depository, amount: act.value, currency: tron, memo, succeeded }]
      : tokenMoves(executed, memo)
  }
  if (fundingIn(executed.sent) !== undefined) return []
  const [recipient, { amount }] = [spelled(act.to), act]
  const memo = sender === solver.address ? paidOrderIn(transaction)?.orderId ?? "" : ""
  return [{ sender, recipient, amount, currency: tron, memo, succeeded }]
})

/** Whether it has paid what it was to pay. */
export const hasPaid = (executed: Executed): boolean => transfersIn(executed).some(({ succeeded }) => succeeded)

/** What its owner has paid for a transaction: its fee, and the TRX that are for a sweep. */
const spentOn = ({ fee, result, sent }: Executed): bigint =>
  fee + (result === "SUCCESS" ? fundingIn(sent)?.amount ?? 0n : 0n)

const accountIn = keptByText((address: string) => Result.getOrUndefined(accountOfTron(address)))

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
      executed.flatMap((each) =>
        transfersIn(each).map((moved) => ({
          ...moved,
          slug: "tron" as const,
          id: each.sent.id,
          time: Math.floor(time / 1_000),
          solverFee: 0n
        }))
      )
    ),
  feesOf: (account) =>
    chain.state().blocks.flatMap(({ executed }) => executed).reduce(
      (sum, executed) => {
        const { owner } = executed.sent.transaction
        return owner !== undefined && spelled(owner) === account ? sum + spentOn(executed) : sum
      },
      0n
    ) * halfMicros(tron),
  dearestReturn: (time, came) => dearestReturn(chain, time * 1_000, came),
  worth: (account) => {
    const evm = accountIn(account)
    if (evm === undefined) return 0n
    const { balances, storage } = headOf(chain.state())
    return tokens.reduce(
      (sum, token) => sum + (storage.get(holding(token, evm)) ?? 0n) * halfMicros(spelled(token)),
      (balances.get(evm) ?? 0n) * halfMicros(tron)
    )
  }
})
