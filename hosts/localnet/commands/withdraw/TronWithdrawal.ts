/** Withdrawals on a Tron chain (CallWithdrawal.ts), executed by an account of the network with the unmodified tronweb. */
import { Effect } from "effect"
import type { Hex } from "viem"
import { tronCodec } from "../../../../src/domain/families/tron/TronWithdrawal.ts"
import { toEvm } from "../../nodes/tron/node/Account.ts"
import { call, headTime, mined, tokensTo } from "../demo/TronWallet.ts"
import { refusedBy, signCalls } from "./CallWithdrawal.ts"
import type { DraftWithdrawal, TronTarget, Wanted } from "./WithdrawalChain.ts"

/**
 * What its transaction gave the recipient. A node shows no balance of an earlier block. Of TRX the recipient has the
 * whole value when the transaction succeeded, because the depository's call may not fail.
 */
const execute = Effect.fnUntraced(
  function*(target: TronTarget, { amount, recipient }: Wanted, token: string | undefined, data: Hex) {
    const transaction = yield* call(target, target.submitter.privateKey, target.depository, data)
    const { logs, succeeded } = yield* mined(target, transaction)
    if (!succeeded) return yield* refusedBy(target, transaction)
    return { transaction, arrived: token === undefined ? amount : tokensTo(logs, token, recipient) }
  }
)

/** The submitter pays energy and bandwidth, so the recipient gets the whole amount. */
export const draftOn = (target: TronTarget): DraftWithdrawal =>
  Effect.fnUntraced(function*(wanted) {
    const { allocator, currency, native } = target
    const token = currency.address === native.address ? undefined : currency.address
    const { data, encoded, id } = yield* signCalls(
      {
        codec: tronCodec,
        chainId: target.chainId,
        depository: toEvm(target.depository),
        token: token === undefined ? undefined : toEvm(token)
      },
      { privateKey: `0x${allocator.privateKey}` },
      { ...wanted, recipient: toEvm(wanted.recipient) },
      yield* headTime(target)
    )
    return { id, encoded, pays: wanted.amount, execute: execute(target, wanted, token, data) }
  })
