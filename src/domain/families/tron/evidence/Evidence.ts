/**
 * What a transaction of tron-vm that succeeded shows (TRON-1): the contracts are the EVM's, and so is their reading;
 * what is Tron's own is how accounts are spelt, where an id stands in calldata, and that a transfer of TRX names its
 * order in a memo.
 */
import * as Result from "effect/Result"
import type { Address } from "../../../chain/Address.ts"
import { asCurrency } from "../../AddressCodec.ts"
import { accountOfTron, tronOfAccount } from "../TronAddresses.ts"
import { Hex } from "../../../encoding/Hex.ts"
import { depositsOf } from "../../ethereum/evidence/Deposits.ts"
import type { EvmCall, EvmLog, OwnContracts } from "../../ethereum/evidence/EvmTransaction.ts"
import { withdrawalsOf } from "../../ethereum/evidence/ExecutedWithdrawals.ts"
import { orderIdsOf, paymentsOf, routerCallsOf } from "../../ethereum/evidence/Payments.ts"
import type { TransactionEvidence } from "../../../evidence/TransactionEvidence.ts"
import { idAfterArguments } from "./CalldataId.ts"
import { orderIdInMemo } from "./Memo.ts"
import type { TronTransaction } from "./TronTransaction.ts"

const nothing = Hex.make("0x")

/**
 * A transfer with its order's id as memo is what a plain payment with it as data is on the EVM; another one says
 * nothing.
 */
const evmCall = ({ act, memo }: TronTransaction, logs: ReadonlyArray<EvmLog>): EvmCall => {
  switch (act._tag) {
    case "Transfer":
      return { to: act.to, input: orderIdInMemo(memo) ?? nothing, value: act.amount, logs }
    case "Trigger":
      return { to: act.contract, input: act.input, value: act.value, logs }
    case "Other":
      return { to: undefined, input: nothing, value: 0n, logs }
  }
}

/** Of an account that was decoded from 20 bytes, which always has one. */
const inBase58 = (account: string): Address => Result.getOrThrow(tronOfAccount(account))

type TronFacts = Pick<TransactionEvidence, "deposits" | "payments" | "orderIds" | "routerCalls" | "withdrawals">

/** `logs` of its receipt, accounts in it as the EVM has them; contracts in the canonical spelling of Tron. */
export const tronFacts = (
  transaction: TronTransaction,
  logs: ReadonlyArray<EvmLog>,
  { depository, router }: OwnContracts
): TronFacts => {
  const shown = evmCall(transaction, logs)
  const own = Result.getOrThrow(accountOfTron(depository))
  const contracts = {
    depository: own,
    router: router === undefined ? undefined : Result.getOrThrow(accountOfTron(router))
  }
  return {
    deposits: depositsOf(shown, own, idAfterArguments).map((deposit) => ({
      ...deposit,
      depository,
      depositor: inBase58(deposit.depositor),
      currency: asCurrency(inBase58(deposit.currency))
    })),
    payments: paymentsOf(shown, contracts).map(({ amount, currency, recipient, through }) => ({
      recipient: inBase58(recipient),
      currency: asCurrency(inBase58(currency)),
      amount,
      through: through._tag === "Router" ? { ...through, router: inBase58(through.router) } : through
    })),
    orderIds: orderIdsOf(shown),
    // What is called is spelt as orders spell it.
    routerCalls: routerCallsOf(shown, contracts).map((call) => ({ ...call, router: inBase58(call.router) })),
    withdrawals: withdrawalsOf(shown, own)
  }
}
