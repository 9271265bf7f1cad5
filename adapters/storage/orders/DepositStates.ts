/** The states of a recorded deposit, as its row names them. */
import { Schema } from "effect"

export const DepositStates = Schema.Literals(["open", "filled", "refunded", "gone", "foreign", "unrefundable"])
