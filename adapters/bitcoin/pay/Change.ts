/** The outputs of a payment that return to the account. */
import type { BtcOutpoint } from "../../../src/domain/families/bitcoin/evidence/BtcTransaction.ts"
import { PAID } from "../../../src/domain/families/bitcoin/treasury/PaymentForm.ts"
import type { PaymentForm } from "../../../src/domain/families/bitcoin/treasury/PaymentForm.ts"

export const changeOf = ({ id, outputs }: Pick<PaymentForm, "id" | "outputs">): ReadonlyArray<BtcOutpoint> =>
  outputs.slice(PAID).map((_, at) => ({ transactionId: id, index: PAID + at }))
