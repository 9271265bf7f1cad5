/** The depository program's instruction as a client rebuilds it from its own knowledge. */
import type { Currency } from "../../../money/Currency.ts"
import { hexDigits } from "../../../encoding/HexDigits.ts"
import { discriminatorOf } from "../evidence/Discriminator.ts"
import { depositoryOf, programs, tokenAccountOf, vaultOf } from "../evidence/Programs.ts"
import { little, pays, reads, writes } from "./SolanaParts.ts"
import type { Instruction, SolanaPayment } from "./SolanaParts.ts"

/** `amount` is of this currency. */
export interface ExpectedDeposit extends SolanaPayment {
  readonly currency: Currency
}

/** Its accounts are derived from the depository program in the client's own configuration. */
export const depositInstruction = (
  { amount, currency, orderId, request: { origin, user } }: ExpectedDeposit,
  tokenProgram: string
): Instruction => {
  const programId = origin.depository
  const [own, vault] = [depositoryOf(programId), vaultOf(programId)]
  const dataOf = (name: "depositNative" | "depositToken") =>
    hexDigits(discriminatorOf(name)) + little(amount, 8) + orderId.slice(2)
  // The user twice: as the payer, and as the depositor that is credited.
  const first = [reads(own), pays(user), reads(user)]
  if (currency.isNative) {
    return { programId, keys: [...first, writes(vault), reads(programs.system)], data: dataOf("depositNative") }
  }
  const mint = currency.address
  return {
    programId,
    keys: [
      ...first,
      reads(vault),
      reads(mint),
      writes(tokenAccountOf(user, mint, tokenProgram)),
      writes(vault && tokenAccountOf(vault, mint, tokenProgram)),
      reads(tokenProgram),
      reads(programs.associatedToken),
      reads(programs.system)
    ],
    data: dataOf("depositToken")
  }
}
