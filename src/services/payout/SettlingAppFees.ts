/**
 * A sponsor pays recipients the app fees that it owes them (BALANCE-5), from its unspent balance. Only then can they be
 * claimed. One ledger movement; nothing happens on a chain.
 *
 * SECURITY: nothing moves without the wallet's signature over all of it. A nonce moves it once, however often it is
 * sent. The ledger's locks ensure that no more is paid than is owed and available.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { AppBalances } from "../../../ports/store/ledger/AppBalances.ts"
import type { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import { Ledger } from "../../../ports/store/ledger/Ledger.ts"
import { OrderSigner } from "../../../ports/signing/OrderSigner.ts"
import { SettlementChain } from "../../../ports/hub/SettlementChain.ts"
import type { StoreUnavailable } from "../../../ports/store/StoreUnavailable.ts"
import { accountKey } from "../../domain/ledger/Account.ts"
import { debtKey } from "../../domain/ledger/Debts.ts"
import { signedMovementId } from "../../domain/ledger/LedgerIds.ts"
import type { LedgerRefused } from "../../domain/ledger/LedgerRefused.ts"
import { settleReceivable } from "../../domain/ledger/Movements.ts"
import type { PayoutRefused } from "../../domain/ledger/PayoutRefused.ts"
import { settleDigest } from "../../domain/ledger/SettleAppFees.ts"
import type { SettleRequest } from "../../domain/ledger/SettleAppFees.ts"
import { sameTransaction } from "../../domain/ledger/Transaction.ts"
import type { Transaction } from "../../domain/ledger/Transaction.ts"
import type { Address } from "../../domain/chain/Address.ts"
import type { Hex, Hex32 } from "../../domain/encoding/Hex.ts"
import { WalletSignatures } from "../clients/WalletSignatures.ts"
import { assertInTime, assertSigned, refuse } from "./SignedRequests.ts"

/** App fees that were paid to their recipient. */
export interface SettledAppFees {
  /** The id of the signed request. */
  readonly id: Hex32
  readonly request: SettleRequest
  /** Milliseconds. */
  readonly settledAt: number
  /** What the wallet still owes the recipient, smallest units of the same currency. */
  readonly owed: bigint
}

export class SettlingAppFees extends Context.Service<SettlingAppFees, {
  /** Pays the signed request, now or before. */
  readonly settle: (
    request: SettleRequest,
    signature: Hex
  ) => Effect.Effect<SettledAppFees, PayoutRefused | ChainUnavailable | StoreUnavailable>
}>()("causeway/services/SettlingAppFees") {}

/**
 * A part payment must be at least a cent of the settlement token: every payment is stored for ever, and costs its payer
 * nothing.
 */
const LEAST = 10_000n

const tooLow = refuse("PAYOUT_TOO_LOW", "amount: less than a cent of a larger debt")

const nonceUsed = refuse("PAYOUT_NONCE_USED", "nonce: the wallet has used it to pay other app fees")

const ledgerSays = (wallet: Address) => ({ account, reason }: LedgerRefused): PayoutRefused => {
  if (reason === "duplicate-id") return nonceUsed
  return account === accountKey({ _tag: "Wallet", wallet })
    ? refuse("PAYOUT_INSUFFICIENT_BALANCE", "amount: more than the wallet's unspent app balance")
    : refuse("PAYOUT_NOT_OWED", "amount: more than the wallet owes the recipient in this currency")
}

export const layer = Layer.effect(
  SettlingAppFees,
  Effect.gen(function*() {
    const balances = yield* AppBalances
    const ledger = yield* Ledger
    const signatures = yield* WalletSignatures
    const { solver } = yield* OrderSigner
    const { chain } = yield* SettlementChain

    /** When the movement was posted. Undefined when it was not. */
    const postedAt = Effect.fnUntraced(function*(movement: Transaction) {
      const known = yield* balances.movement(movement.id)
      if (known === undefined) return undefined
      return sameTransaction(known.transaction, movement) ? known.at : yield* nonceUsed
    })

    const debtOf = Effect.fnUntraced(function*({ currency, recipient, wallet }: SettleRequest) {
      const key = debtKey({ wallet, recipient, currency })
      return (yield* balances.debtsOf(wallet)).find((each) => debtKey(each) === key)?.units ?? 0n
    })

    const settle: SettlingAppFees["Service"]["settle"] = Effect.fn("SettlingAppFees.settle")(
      function*(request, signature) {
        const { amount, currency, nonce, recipient, wallet } = request
        const id = yield* assertSigned(
          signatures,
          settleDigest({ chainId: chain.id, solver }, request),
          request,
          signature
        )
        const made = settleReceivable({
          id: signedMovementId("settle", wallet, nonce),
          currency,
          wallet,
          shares: [{ recipient, units: amount }]
        })
        const movement = yield* Effect.mapError(Effect.fromResult(made), ledgerSays(wallet))
        if ((yield* postedAt(movement)) === undefined) {
          if (amount < LEAST && amount < (yield* debtOf(request))) return yield* tooLow
          yield* ledger.post(movement, yield* assertInTime(request)).pipe(
            Effect.catchTag("LedgerRefused", (refused) => Effect.fail(ledgerSays(wallet)(refused)))
          )
        }
        // Read again: of two concurrent requests, the first one's time counts.
        const settledAt = (yield* postedAt(movement)) ??
          (yield* Effect.die(new Error(`movement ${movement.id} was posted and is not there`)))
        return { id, request, settledAt, owed: yield* debtOf(request) }
      }
    )

    return SettlingAppFees.of({ settle })
  })
)
