/** Checks of every request that a wallet signs over its money. They come before any lookup. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import type { PayoutRequest } from "../../domain/ledger/Payout.ts"
import { PayoutRefused } from "../../domain/ledger/PayoutRefused.ts"
import type { PayoutReason } from "../../domain/ledger/PayoutRefused.ts"
import type { InvalidAddress } from "../../domain/chain/Address.ts"
import type { Hex, Hex32 } from "../../domain/encoding/Hex.ts"
import type { WalletSignatures } from "../clients/WalletSignatures.ts"

/** A refusal with its reason. The message says what to do. */
export const refuse = (reason: PayoutReason, message: string) => new PayoutRefused({ reason, message })

/** The amount is above zero and the wallet has signed. Returns the signed digest. */
export const assertSigned = Effect.fnUntraced(function*(
  signatures: WalletSignatures["Service"],
  digest: Result.Result<Hex32, InvalidAddress>,
  { amount, wallet }: Pick<PayoutRequest, "amount" | "wallet">,
  signature: Hex
) {
  const id = yield* Effect.fromResult(digest).pipe(
    Effect.mapError(({ message }) => refuse("PAYOUT_INVALID_RECIPIENT", message))
  )
  if (amount <= 0n) return yield* refuse("PAYOUT_INVALID_AMOUNT", "amount: it must be above zero")
  const signed = yield* signatures.isSignedBy(wallet, id, signature)
  return signed
    ? id
    : yield* refuse("PAYOUT_WRONG_SIGNATURE", "signature: it is not the wallet's signature of these values")
})

/** Fails after the deadline. Returns the time, milliseconds. Requests that were accepted before are looked up first. */
export const assertInTime = Effect.fnUntraced(function*({ deadline }: Pick<PayoutRequest, "deadline">) {
  const now = yield* Clock.currentTimeMillis
  return now > deadline * 1000 ? yield* refuse("PAYOUT_EXPIRED", "deadline: it has passed") : now
})
