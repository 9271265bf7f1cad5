/**
 * What a successful transaction of tron-vm shows (TRON-1). Its contracts are EVM contracts and are read the same way.
 * Tron differs in the spelling of accounts, in the place of an id in calldata, and in naming the order of a TRX
 * transfer by a memo.
 */
import * as Result from "effect/Result"
import type { Address } from "../../../chain/Address.ts"
import { asCurrency } from "../../AddressCodec.ts"
import { accountOfTron, tronOfAccount } from "../TronAddresses.ts"
import { hexFromBytes } from "../../../encoding/Hex.ts"
import { depositsOf } from "../../ethereum/evidence/Deposits.ts"
import type { EvmCall, EvmLog, OwnContracts } from "../../ethereum/evidence/EvmTransaction.ts"
import { withdrawalsOf } from "../../ethereum/evidence/ExecutedWithdrawals.ts"
import { orderIdsOf, paymentsOf, routerCallsOf } from "../../ethereum/evidence/Payments.ts"
import type { TransactionEvidence } from "../../../evidence/TransactionEvidence.ts"
import { idAfterArguments } from "./CalldataId.ts"
import { orderIdInMemo } from "./Memo.ts"
import type { TronTransaction } from "./TronTransaction.ts"

const nothing = hexFromBytes(new Uint8Array(0))

/**
 * The same transaction of an EVM chain. A transfer with its order's id as memo corresponds to a plain payment with the id
 * as data. Any other memo is ignored.
 */
export const evmCall = ({ act, memo }: TronTransaction, logs: ReadonlyArray<EvmLog>): EvmCall => {
  switch (act._tag) {
    case "Transfer":
      return { to: act.to, input: orderIdInMemo(memo) ?? nothing, value: act.amount, logs }
    case "Trigger":
      return { to: act.contract, input: act.input, value: act.value, logs }
    case "Other":
      return { to: undefined, input: nothing, value: 0n, logs }
  }
}

/** Never throws: the account was decoded from 20 bytes. */
const inBase58 = (account: string): Address => Result.getOrThrow(tronOfAccount(account))

type TronFacts = Pick<TransactionEvidence, "deposits" | "payments" | "orderIds" | "routerCalls" | "withdrawals">

/** `logs`: the receipt's logs with accounts in EVM form. Contracts are in Tron's canonical spelling. */
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
    // The called contract keeps the spelling of orders.
    routerCalls: routerCallsOf(shown, contracts).map((call) => ({ ...call, router: inBase58(call.router) })),
    withdrawals: withdrawalsOf(shown, own)
  }
}
