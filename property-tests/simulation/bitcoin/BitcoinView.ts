/** What the laws read of the simulated Bitcoin chain: deposits and payments, as its blocks show them. */
import { Result } from "effect"
import { addressOfScript } from "../../../src/domain/families/bitcoin/BitcoinScript.ts"
import { isCoinbase } from "../../../src/domain/families/bitcoin/evidence/BtcTransaction.ts"
import { depositsOf } from "../../../src/domain/families/bitcoin/evidence/Deposits.ts"
import { firstAddress, sameBytes } from "../../../src/domain/families/bitcoin/evidence/SpentCoins.ts"
import { paidOrderIn } from "../../../src/domain/families/bitcoin/treasury/SentPayment.ts"
import type { ChainView, ShownTransfer } from "../ChainView.ts"
import { bitcoin, chainIds, halfMicros } from "../Terms.ts"
import type { BitcoinChain } from "./BitcoinChain.ts"
import { headOf, spentBy } from "./CoinChain.ts"
import type { ChainState } from "./CoinChain.ts"
import type { CoinTransaction } from "./CoinTransaction.ts"
import { accounts, depository, funder, NETWORK, solver } from "./Terms.ts"

const total = (outputs: ReadonlyArray<{ readonly amount: bigint }>): bigint =>
  outputs.reduce((sum, { amount }) => sum + amount, 0n)

const sumTo = ({ outputs }: CoinTransaction, owner: Uint8Array): bigint =>
  outputs.reduce((sum, { amount, script }) => sameBytes(script, owner) ? sum + amount : sum, 0n)

/** A payment of the solver, a refill, or a deposit. Nothing for a user's other transactions. */
const transferIn = (
  state: ChainState,
  transaction: CoinTransaction
): Pick<ShownTransfer, "sender" | "recipient" | "amount" | "memo"> | undefined => {
  const spent = (spentBy(state, transaction) ?? []).map(({ script }) => script)
  const sender = firstAddress({ spent }, NETWORK) ?? ""
  if (sender === solver.address) {
    const paid = paidOrderIn(transaction, solver.script, NETWORK)
    return { sender, recipient: paid?.recipient ?? "", amount: paid?.amount ?? 0n, memo: paid?.orderId ?? "" }
  }
  if (sender === funder.address) {
    return { sender, recipient: solver.address, amount: sumTo(transaction, solver.script), memo: "" }
  }
  const [deposit] = depositsOf({ ...transaction, spent }, { address: depository.address, network: NETWORK })
  return deposit === undefined
    ? undefined
    : { sender, recipient: depository.address, amount: deposit.amount, memo: deposit.depositId }
}

export const bitcoinView = (chain: BitcoinChain): ChainView => ({
  slug: "bitcoin",
  chainId: chainIds.bitcoin,
  parties: {
    solver: solver.address,
    depository: depository.address,
    funder: funder.address,
    accounts: accounts.map(({ address }) => address)
  },
  shown: () => {
    const state = chain.state()
    // The first block gives everybody their coins.
    return state.blocks.slice(1).flatMap(({ time, transactions }) =>
      transactions.flatMap((transaction) => {
        const moved = isCoinbase(transaction) ? undefined : transferIn(state, transaction)
        return moved === undefined
          ? []
          : [{ ...moved, slug: "bitcoin" as const, id: transaction.id, time, succeeded: true, currency: bitcoin }]
      })
    )
  },
  feesOf: (account) => {
    const state = chain.state()
    const own = state.blocks.slice(1).flatMap(({ transactions }) => transactions).map((transaction) => ({
      transaction,
      spent: isCoinbase(transaction) ? [] : spentBy(state, transaction) ?? []
    })).filter(({ spent }) => firstAddress({ spent: spent.map(({ script }) => script) }, NETWORK) === account)
    return own.reduce((sum, { spent, transaction: { outputs } }) => sum + total(spent) - total(outputs), 0n) *
      halfMicros(bitcoin)
  },
  worth: (account) =>
    [...headOf(chain.state()).coins.values()].reduce((sum, { amount, script }) => {
      const owner = addressOfScript(script, NETWORK)
      return Result.isSuccess(owner) && owner.success === account ? sum + amount * halfMicros(bitcoin) : sum
    }, 0n)
})
