/** What the laws read of the simulated Bitcoin chain: deposits and payments, as its blocks show them. */
import { Result } from "effect"
import { addressOfScript } from "../../../src/domain/families/bitcoin/BitcoinScript.ts"
import { isCoinbase } from "../../../src/domain/families/bitcoin/evidence/BtcTransaction.ts"
import type { BtcOutput } from "../../../src/domain/families/bitcoin/evidence/BtcTransaction.ts"
import { depositsOf } from "../../../src/domain/families/bitcoin/evidence/Deposits.ts"
import { firstAddress, sameBytes } from "../../../src/domain/families/bitcoin/evidence/SpentCoins.ts"
import { paidOrderIn } from "../../../src/domain/families/bitcoin/treasury/SentPayment.ts"
import type { ChainView, ShownTransfer } from "../ChainView.ts"
import { keptBy } from "../Kept.ts"
import { bitcoin, chainIds, halfMicros } from "../Terms.ts"
import type { BitcoinChain } from "./BitcoinChain.ts"
import { headOf, spentBy } from "./CoinChain.ts"
import type { CoinTransaction } from "./CoinTransaction.ts"
import { accounts, depository, funder, NETWORK, solver } from "./Terms.ts"

const total = (outputs: ReadonlyArray<{ readonly amount: bigint }>): bigint =>
  outputs.reduce((sum, { amount }) => sum + amount, 0n)

const sumTo = ({ outputs }: CoinTransaction, owner: Uint8Array): bigint =>
  outputs.reduce((sum, { amount, script }) => sameBytes(script, owner) ? sum + amount : sum, 0n)

/** Of transactions in blocks: what they spend never changes. */
interface Spending {
  readonly transaction: CoinTransaction
  readonly spent: ReadonlyArray<BtcOutput>
  readonly sender: string
}

type Moved = Pick<ShownTransfer, "sender" | "recipient" | "amount" | "memo">

/** The address that an output pays. */
const ownerOf = keptBy((script: Uint8Array): string | undefined =>
  Result.getOrUndefined(addressOfScript(script, NETWORK))
)

const known: ReadonlySet<string> = new Set([solver, depository, funder, ...accounts].map(({ address }) => address))

/** What a transaction pays to deposit addresses: nobody else in this world has an address that is not known. */
const toAddresses = ({ sender, transaction: { outputs } }: Spending): ReadonlyArray<Moved> =>
  [...Map.groupBy(outputs, ({ script }) => ownerOf(script))].flatMap(([recipient, own]) =>
    recipient === undefined || known.has(recipient) ? [] : [{ sender, recipient, amount: total(own), memo: "" }]
  )

/** A payment of the solver, a refill, or a deposit, and payments to addresses. Nothing for a user's other transactions. */
const transfersIn = (spending: Spending): ReadonlyArray<Moved> => {
  const { sender, spent: coins, transaction } = spending
  const spent = coins.map(({ script }) => script)
  if (sender === solver.address) {
    const paid = paidOrderIn(transaction, solver.script, NETWORK)
    return [{ sender, recipient: paid?.recipient ?? "", amount: paid?.amount ?? 0n, memo: paid?.orderId ?? "" }]
  }
  if (sender === funder.address) {
    return [{ sender, recipient: solver.address, amount: sumTo(transaction, solver.script), memo: "" }]
  }
  const [deposit] = depositsOf({ ...transaction, spent }, { address: depository.address, network: NETWORK })
  const deposited = deposit === undefined
    ? []
    : [{ sender, recipient: depository.address, amount: deposit.amount, memo: deposit.depositId }]
  return [...deposited, ...toAddresses(spending)]
}

/** Of a sweep, which spends coins of its address first, what the account adds beside them. */
const feePaidBy = (account: string, { sender, spent, transaction: { outputs } }: Spending): bigint => {
  if (sender === account) return total(spent) - total(outputs)
  const own = (list: ReadonlyArray<BtcOutput>) => total(list.filter(({ script }) => ownerOf(script) === account))
  return own(spent) === 0n ? 0n : own(spent) - own(outputs)
}

export const bitcoinView = (chain: BitcoinChain): ChainView => {
  const spendingOf = keptBy((transaction: CoinTransaction): Spending => {
    const spent = spentBy(chain.state(), transaction) ?? []
    return { transaction, spent, sender: firstAddress({ spent: spent.map(({ script }) => script) }, NETWORK) ?? "" }
  })
  const movedBy = keptBy((transaction: CoinTransaction) =>
    isCoinbase(transaction) ? [] : transfersIn(spendingOf(transaction))
  )
  /** The first block gives everybody their coins. */
  const later = () => chain.state().blocks.slice(1)
  return {
    slug: "bitcoin",
    chainId: chainIds.bitcoin,
    parties: {
      solver: solver.address,
      depository: depository.address,
      funder: funder.address,
      accounts: accounts.map(({ address }) => address)
    },
    shown: () =>
      later().flatMap(({ time, transactions }) =>
        transactions.flatMap((transaction) =>
          movedBy(transaction).map((moved) => ({
            ...moved,
            slug: "bitcoin" as const,
            id: transaction.id,
            time,
            succeeded: true,
            currency: bitcoin,
            solverFee: 0n
          }))
        )
      ),
    feesOf: (account) =>
      later().flatMap(({ transactions }) => transactions).filter((transaction) => !isCoinbase(transaction))
        .map(spendingOf).reduce((sum, spending) => sum + feePaidBy(account, spending), 0n) * halfMicros(bitcoin),
    dearestReturn: () => 0n,
    worth: (account) =>
      [...headOf(chain.state()).coins.values()].reduce(
        (sum, { amount, script }) => ownerOf(script) === account ? sum + amount * halfMicros(bitcoin) : sum,
        0n
      )
  }
}
