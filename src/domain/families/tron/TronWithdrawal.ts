/** Withdrawals of tron-vm: the same call requests as on ethereum-vm (TRON-3). */
import { withdrawalRules } from "../../hub/withdrawal/WithdrawalRules.ts"
import { callRequestCodec } from "../ethereum/CallRequestCodec.ts"
import { tronAddresses, tronOfAccount } from "./TronAddresses.ts"

/** Requests of the depository contract on Tron. Payouts have base58 addresses. */
export const tronCodec = callRequestCodec("tron-vm", tronAddresses.nativeCurrency, tronOfAccount)

/** The family's withdrawals, for judges. */
export const tronWithdrawals = withdrawalRules(tronCodec)
