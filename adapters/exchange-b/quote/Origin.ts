/** What an account of exchange B has of a currency, what its transfer costs and whether it can be made, at one endpoint. */
import { Effect } from "effect"
import type { DepositIntent } from "../../../ports/chain/StepBuilder.ts"
import type { DepositoryAccess } from "../DepositoryAccess.ts"
import { readLeast } from "../pay/LeastTransfer.ts"
import { isPayable, shownBalance } from "../pay/ReadAccount.ts"
import { readRecentFee } from "../pay/RecentFee.ts"
import type { ExchangeBFault, ExchangeBRead } from "../rpc/ExchangeBRpc.ts"

export interface Origin {
  /** Smallest units of USDC. */
  readonly fee: bigint
  /** Smallest units of the currency. Nothing for an account that does not exist. */
  readonly userBalance: bigint
  /** False for a send to an account that does not exist, which only its owner can open, or to a pool. */
  readonly canPay: boolean
  /** The least that the exchange transfers to another owner, smallest units of the currency (EXCHANGEB-26). */
  readonly least: bigint
}

/**
 * The fee is the configured one, else what the exchange says about a transfer from the depository to the user: it tells
 * an account what its own transfers cost, and the depository's token is the only one we have.
 */
export const readOrigin = (
  { token, transferFee }: DepositoryAccess["Service"],
  { currency, origin, user, way }: DepositIntent
): ExchangeBRead<
  Origin
> =>
  Effect.fnUntraced(function*(client, deadline): Effect.fn.Return<Origin, ExchangeBFault> {
    const holder = { account: origin.depository, token }
    const userBalance = yield* shownBalance(client, user, currency, deadline)
    const canPay = way._tag !== "Send" || (yield* isPayable(client, way.recipient, deadline))
    return {
      canPay,
      least: yield* readLeast(client, currency, deadline),
      fee: userBalance === undefined || transferFee !== undefined
        ? transferFee ?? 0n
        : yield* readRecentFee(client, holder, user, deadline),
      userBalance: userBalance ?? 0n
    }
  })
