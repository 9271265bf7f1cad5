/** Withdrawals on an EVM chain (CallWithdrawal.ts), executed by an account of the network. */
import { Effect } from "effect"
import type { Hex } from "viem"
import { zeroAddress } from "viem"
import { getAddress } from "viem/utils"
import { ethereumCodec } from "../../../../src/domain/families/ethereum/EthereumWithdrawal.ts"
import { balance, call, headTime, mined } from "../demo/Wallet.ts"
import { refusedBy, signCalls } from "./CallWithdrawal.ts"
import type { Account, DraftWithdrawal, EvmTarget } from "./WithdrawalChain.ts"

/** What arrived in the block of the payment. */
const execute = Effect.fnUntraced(
  function*(target: EvmTarget, submitter: Account, recipient: string, data: Hex) {
    const transaction = yield* call(target, submitter.privateKey, target.depository, data)
    const { block, succeeded } = yield* mined(target, transaction)
    if (!succeeded) return yield* refusedBy(target, transaction)
    const payee = getAddress(recipient)
    const [before, after] = yield* Effect.all([
      balance(target, target.currency.address, payee, block - 1n),
      balance(target, target.currency.address, payee, block)
    ])
    return { transaction, arrived: after - before }
  }
)

/** The submitter pays the gas, so the recipient gets the whole amount. */
export const draftOn = (target: EvmTarget, allocator: Account, submitter: Account): DraftWithdrawal =>
  Effect.fnUntraced(function*(wanted) {
    const { address } = target.currency
    const { data, encoded, id } = yield* signCalls(
      { ...target, codec: ethereumCodec, token: address === zeroAddress ? undefined : address },
      allocator,
      wanted,
      yield* headTime(target)
    )
    return { id, encoded, pays: wanted.amount, execute: execute(target, submitter, wanted.recipient, data) }
  })
