/** Withdrawals of ethereum-vm: call requests of the depository contract (EVM-6). */
import * as Result from "effect/Result"
import { withdrawalRules } from "../../hub/withdrawal/WithdrawalRules.ts"
import { callRequestCodec } from "./CallRequestCodec.ts"
import { ethereumAddresses } from "./EthereumAddresses.ts"

/** Requests of the depository contract on EVM chains. */
export const ethereumCodec = callRequestCodec("ethereum-vm", ethereumAddresses.nativeCurrency, Result.succeed)

/** The family's withdrawals, for judges. */
export const ethereumWithdrawals = withdrawalRules(ethereumCodec)
