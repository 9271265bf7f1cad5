/** All planted holes, each with the run that finds it. The simulation must find them, or it proves nothing. */
import { addressHoles } from "./AddressHoles.ts"
import { depositHoles } from "./DepositHoles.ts"
import { moneyHoles } from "./MoneyHoles.ts"
import { paymentHoles } from "./PaymentHoles.ts"

export const holes = { ...addressHoles, ...paymentHoles, ...depositHoles, ...moneyHoles }
