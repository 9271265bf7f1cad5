/**
 * The script that a payment pays.
 *
 * SECURITY: never the account's own. Such an output would count as change that other payments may spend, and a
 * replacement of the payment would then kill them; and in a block nothing tells it from change (BITCOIN-17).
 */
import { Result } from "effect"
import type { Payment } from "../../../ports/chain/PaymentKinds.ts"
import { PaymentRefused } from "../../../ports/chain/Treasury.ts"
import { scriptOfAddress } from "../../../src/domain/families/bitcoin/BitcoinScript.ts"
import { sameBytes } from "../../../src/domain/families/bitcoin/evidence/SpentCoins.ts"
import type { KeyAccount } from "./SolverAccount.ts"

/** Refused for what is no address of the chain, too. */
export const payeeOf = (
  { chain, recipient }: Pick<Payment, "chain" | "recipient">,
  { script: own }: Pick<KeyAccount, "script">
): Result.Result<Uint8Array, PaymentRefused> => {
  const script = scriptOfAddress(recipient, chain.network)
  if (Result.isFailure(script)) return Result.fail(new PaymentRefused({ reason: "reverts" }))
  return sameBytes(script.success, own)
    ? Result.fail(new PaymentRefused({ reason: "reverts", unfit: { _tag: "OwnAccount" } }))
    : Result.succeed(script.success)
}
